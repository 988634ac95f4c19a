from __future__ import annotations

import pytest

from tmstudio.config.presets import PRESETS, SUMMARIES, Difference, difference, preset
from tmstudio.config.run_config import MlpNetwork, RunConfig, Sac
from tmstudio.errors import ConfigError


def test_every_preset_is_a_valid_configuration_with_a_summary() -> None:
    assert set(SUMMARIES) == set(PRESETS)
    for name in PRESETS:
        assert preset(name).preset == name


def test_the_default_preset_is_the_defaults() -> None:
    assert difference(preset("default"), RunConfig()) == []


def test_the_quick_start_is_short_and_the_recorded_map_is_on_its_own_track() -> None:
    assert preset("quickstart").budget.minutes <= 4
    assert preset("tmrl-test-sim").track == "tmrl-test"


def test_sac_is_plain() -> None:
    algorithm = preset("sac").algorithm
    assert isinstance(algorithm, Sac)
    assert algorithm.network == MlpNetwork(width=256, layers=2)
    assert algorithm.n_step == 1


def test_an_unknown_preset_is_refused_with_the_nearest_and_the_list() -> None:
    with pytest.raises(ConfigError) as caught:
        preset("quikstart")
    assert "did you mean 'quickstart'?" in str(caught.value)
    assert all(name in caught.value.hint for name in PRESETS)
    assert caught.value.exit_code == 2


def test_the_difference_names_what_was_changed_and_compares_other_kinds_with_their_defaults() -> None:
    config = RunConfig(name="mine", algorithm=Sac(network=MlpNetwork(width=64), gamma=0.9))
    assert difference(config, RunConfig()) == [
        Difference("algorithm.network.kind", "simba", "mlp"),
        Difference("algorithm.network.width", 256, 64),
        Difference("algorithm.gamma", 0.98, 0.9),
        Difference("algorithm.kind", "tqc", "sac"),
    ]
