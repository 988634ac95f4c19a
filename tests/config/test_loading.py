from __future__ import annotations

from pathlib import Path

import pytest

from tmstudio.config.loading import apply_overrides, dump_run_config, load_run_config, parse_run_config
from tmstudio.config.presets import PRESETS, preset
from tmstudio.config.run_config import KeyboardAction, MlpNetwork, RunConfig, Sac, Tqc
from tmstudio.config.yaml_text import read_yaml
from tmstudio.errors import ConfigError


def problems(error: ConfigError) -> dict[str, str]:
    return {fault.path: fault.problem for fault in error.faults}


def refusal(data: object) -> dict[str, str]:
    with pytest.raises(ConfigError) as caught:
        parse_run_config(data, "run.yaml")
    return problems(caught.value)


@pytest.mark.parametrize("name", PRESETS)
def test_a_configuration_reads_back_from_its_own_text(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(dump_run_config(preset(name)), encoding="utf-8")
    assert load_run_config(path) == preset(name)


def test_the_text_is_in_field_order_with_kind_first_and_help_behind() -> None:
    lines = dump_run_config(RunConfig()).splitlines()
    assert list(read_yaml("\n".join(lines))) == list(RunConfig.model_fields)
    assert lines[lines.index("algorithm:") + 1] == "  kind: tqc"
    assert "  gamma: 0.98  # How much a reward one step later counts." in lines
    assert any(line.startswith("  step_ms: 50  # * ") and line.endswith("[ms]") for line in lines)


def test_fields_left_out_have_their_defaults() -> None:
    config = parse_run_config({"algorithm": {"gamma": 0.9, "network": {"kind": "mlp"}}}, "x")
    assert config.algorithm == Tqc(gamma=0.9, network=MlpNetwork())
    assert config.track == RunConfig().track


def test_every_fault_is_listed_at_once_with_the_path_that_the_user_wrote() -> None:
    found = refusal(
        {
            "algorithm": {"kind": "tqc", "gamma": 3, "gama": 1, "network": {"kind": "mlp", "widht": 2}},
            "game": {"cars": "many", "pace": "fasst"},
            "action": {"kind": "keybord"},
            "timing": {"step_ms": 45},
            "reward": 3,
            "track": 7,
            "replay": {"warmup": 1.5},
            "budget": {"minutes": float("nan"), "steps": None},
            "episode": {"random_starts": True},
            "observation": {"lidar": "perhaps"},
            "trak": "valley",
        }
    )
    assert found == {
        "algorithm.gamma": "must be at most 0.9999 (is 3)",
        "algorithm.gama": "unknown field, did you mean 'gamma'?",
        "algorithm.network.widht": "unknown field, did you mean 'width'?",
        "game.cars": "must be a whole number (is 'many')",
        "game.pace": "must be 'fast' or 'real time' (is 'fasst'), did you mean 'fast'?",
        "action.kind": "must be 'analog' or 'keyboard' (is 'keybord'), did you mean 'keyboard'?",
        "timing.step_ms": "must be a multiple of 10 (is 45)",
        "reward": "must be a group of fields (is 3)",
        "track": "must be text (is 7)",
        "replay.warmup": "must be a whole number (is 1.5)",
        "budget.minutes": "must be a finite number (is nan)",
        "budget.steps": "must be a whole number (is empty)",
        "episode.random_starts": "must be a number (is true)",
        "observation.lidar": "must be true or false (is 'perhaps')",
        "trak": "unknown field, did you mean 'track'?",
    }


def test_the_models_own_rules_are_told_in_their_words() -> None:
    assert refusal({"timing": {"step_ms": 50, "capture_ms": 50}}) == {
        "timing.capture_ms": "must be below step_ms, which is 50 (is 50)"
    }


def test_a_field_of_another_kind_is_unknown_here() -> None:
    found = refusal({"algorithm": {"kind": "sac", "quantiles": 5}})
    assert list(found) == ["algorithm.quantiles"]
    assert "known here: network, gamma" in found["algorithm.quantiles"]


def test_text_that_is_a_number_counts_as_one() -> None:
    assert parse_run_config({"algorithm": {"gamma": "0.9"}}, "x").algorithm.gamma == 0.9


def test_a_configuration_of_a_newer_version_is_refused_by_name() -> None:
    found = refusal({"schema_version": 2, "something": "new"})
    assert list(found) == ["schema_version"]
    assert "is 2" in found["schema_version"]
    assert "newer version" in found["schema_version"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b"# nothing but a comment\n", "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\xff", "is not a text file"),
        (b"- a\n- b\n", "holds no fields"),
        (b"just words", "holds no fields"),
        (b"track: [", "is not valid YAML: line 1"),
        (b"track: a\ntrack: b", "line 2: 'track' is given twice"),
        (b"#" * 2_000_000, "too large"),
    ],
)
def test_a_file_that_is_no_configuration_is_refused(content: bytes, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_run_config(path)
    assert problem in str(caught.value)
    assert str(path) in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_run_config(tmp_path / "none.yaml")


def test_overrides_set_values_by_their_path() -> None:
    config = apply_overrides(RunConfig(), ["algorithm.gamma=0.97", "track=summit", "observation.lidar=false"])
    assert (config.algorithm.gamma, config.track, config.observation.lidar) == (0.97, "summit", False)


def test_an_override_of_a_kind_keeps_what_both_kinds_have_in_whichever_order() -> None:
    for overrides in (
        ["algorithm.kind=sac", "algorithm.network.kind=mlp", "algorithm.network.width=64"],
        ["algorithm.network.width=64", "algorithm.network.kind=mlp", "algorithm.kind=sac"],
    ):
        config = apply_overrides(RunConfig(algorithm=Tqc(gamma=0.9)), overrides)
        assert config.algorithm == Sac(gamma=0.9, network=MlpNetwork(width=64))
    assert apply_overrides(RunConfig(), ["action.kind=keyboard"]).action == KeyboardAction()


def test_all_bad_overrides_are_listed_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        apply_overrides(
            RunConfig(),
            ["nonsense", "algorithm.gama=1", "algorithm.gamma=2", "track.x=3", "algorithm=sac", "seed=[1"],
        )
    assert problems(caught.value) == {
        "nonsense": "is not of the form name=value, such as algorithm.gamma=0.97",
        "algorithm.gama": "unknown field, did you mean 'gamma'?",
        "algorithm.gamma": "must be at most 0.9999 (is 2)",
        "track.x": "'track' is a single value and has no fields",
        "algorithm": "is a group of fields; set one of them, such as algorithm.kind=...",
        "seed": problems(caught.value)["seed"],
    }
    assert problems(caught.value)["seed"].startswith("has no usable value")
    with pytest.raises(ConfigError, match="must be at most"):
        apply_overrides(RunConfig(), ["algorithm.gamma=2"])
    with pytest.raises(ConfigError, match="must be 'tqc' or 'sac'"):
        apply_overrides(RunConfig(), ["algorithm.kind=tqcc"])
