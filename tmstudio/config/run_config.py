"""The configuration of one run, from the track to the step budget.

Each component is a discriminated union on ``kind``, so that another game, observation or algorithm is one
more class here and nothing else changes shape.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from tmstudio.config.fields import Section, setting

SCHEMA_VERSION: Literal[1] = 1


class SimulatorGame(Section):
    """The built-in simulator."""

    kind: Literal["simulator"] = "simulator"
    cars: int = setting(16, "Cars that drive at the same time.", unit="cars", ge=1, le=256)
    pace: Literal["fast", "real time"] = setting(
        "fast", "As fast as the learner can use the driving, or at the speed of a clock."
    )
    car: str = setting(
        "stadium", "The car's constants.", identity=True, advanced=True, pattern=r"^[a-z0-9-]+$"
    )


Game = Annotated[SimulatorGame, Field(discriminator="kind")]


class GeometryObservation(Section):
    """What the policy sees: the car's own state and the track's geometry around it."""

    kind: Literal["geometry"] = "geometry"
    lidar: bool = setting(True, "Distances to the borders along 19 beams.", identity=True, title="LIDAR")
    lidar_history: int = setting(
        4,
        "How many LIDAR readings in a row the policy sees.",
        unit="steps",
        identity=True,
        ge=1,
        le=8,
        advanced=True,
    )
    lidar_range_m: float = setting(
        120.0, "Beams are cut off at this distance.", unit="m", identity=True, ge=20, le=300, advanced=True
    )
    track_points: int = setting(
        20, "Points ahead on each border, 0 for none.", unit="points", identity=True, ge=0, le=60
    )
    track_point_spacing_m: float = setting(
        8.0,
        "Distance between the points along the track.",
        unit="m",
        identity=True,
        ge=1,
        le=30,
        advanced=True,
    )


Observation = Annotated[GeometryObservation, Field(discriminator="kind")]


class AnalogAction(Section):
    """Gas, brake and steering as a pad gives them. Not validated: no recorded driver steered between the locks."""

    kind: Literal["analog"] = "analog"


class KeyboardAction(Section):
    """Gas, brake and steering as keys give them: released or pressed, nothing between, and one pedal at a time."""

    kind: Literal["keyboard"] = "keyboard"
    dead_zone: float = setting(
        0.5, "Values beyond this press the key.", identity=True, ge=0.05, le=0.95, advanced=True
    )


Action = Annotated[AnalogAction | KeyboardAction, Field(discriminator="kind")]


class ControlTiming(Section):
    """The control clock and its delay, the same in the simulator and in the game."""

    step_ms: int = setting(
        50, "Length of a control step.", unit="ms", identity=True, ge=20, le=200, multiple_of=10
    )
    capture_ms: int = setting(
        40,
        "When in a step the observation is taken.",
        unit="ms",
        identity=True,
        ge=0,
        le=190,
        multiple_of=10,
        advanced=True,
    )

    @field_validator("capture_ms")
    @classmethod
    def _inside_the_step(cls, value: int, info: object) -> int:
        step_ms = getattr(info, "data", {}).get("step_ms")
        if step_ms is not None and value >= step_ms:
            raise ValueError(f"must be below step_ms, which is {step_ms}")
        return value


class Reward(Section):
    """Weights of the reward's terms. A change re-labels what is already stored."""

    progress: float = setting(
        0.2, "For each metre of track driven for the first time.", unit="per m", ge=0, le=10
    )
    time: float = setting(-0.5, "For each second.", unit="per s", ge=-100, le=0)
    finish: float = setting(10.0, "For crossing the finish line.", ge=0, le=1000)
    failure: float = setting(-2.0, "For getting stuck or driving the wrong way.", ge=-1000, le=0)
    wall_contact: float = setting(-1.0, "For each second against a wall.", unit="per s", ge=-100, le=0)
    steering: float = setting(
        0.0, "For each full change of the steering from one step to the next.", ge=-10, le=0, advanced=True
    )


class Episode(Section):
    """Where an attempt starts and when it ends."""

    random_starts: float = setting(0.7, "Share of attempts that start somewhere along the track.", ge=0, le=1)
    stuck_s: float = setting(
        3.0,
        "An attempt ends as stuck after this time without progress.",
        unit="s",
        ge=0.5,
        le=60,
        advanced=True,
    )
    time_limit_s: float = setting(180.0, "An attempt is cut off after this time.", unit="s", ge=5, le=3600)


class Randomisation(Section):
    """Training with a car and a delay that differ from attempt to attempt; trials always have the car as it is."""

    car: float = setting(
        0.0,
        "Share by which drive, resistance, turning and grip may differ from the car's constants.",
        ge=0,
        le=0.3,
        advanced=True,
    )
    delay_ms: int = setting(
        0,
        "By how much an action may reach the car earlier or later than it should.",
        title="Delay",
        unit="ms",
        ge=0,
        le=100,
        multiple_of=10,
        advanced=True,
    )


class SimbaNetwork(Section):
    """Residual network with running input normalisation (SimBa, arXiv 2410.09754)."""

    kind: Literal["simba"] = "simba"
    actor_width: int = setting(
        64, "Width of the policy's network.", unit="units", identity=True, ge=16, le=1024
    )
    actor_blocks: int = setting(1, "Residual blocks of the policy's network.", identity=True, ge=1, le=6)
    critic_width: int = setting(128, "Width of the critics.", unit="units", identity=True, ge=16, le=2048)
    critic_blocks: int = setting(1, "Residual blocks of the critics.", identity=True, ge=1, le=6)


class MlpNetwork(Section):
    """Plain fully connected network."""

    kind: Literal["mlp"] = "mlp"
    width: int = setting(256, "Width of each hidden layer.", unit="units", identity=True, ge=16, le=2048)
    layers: int = setting(2, "Hidden layers.", identity=True, ge=1, le=8)


Network = Annotated[SimbaNetwork | MlpNetwork, Field(discriminator="kind")]


class _OffPolicy(Section):
    """What SAC and its relatives share."""

    network: Network = Field(default_factory=SimbaNetwork, title="Network")
    gamma: float = setting(
        0.98, "How much a reward one step later counts.", title="Discount", ge=0.5, le=0.9999
    )
    n_step: int = setting(3, "Steps of real reward before the critic's estimate.", unit="steps", ge=1, le=20)
    batch_size: int = setting(256, "Transitions in one update.", unit="transitions", ge=16, le=8192)
    actor_learning_rate: float = setting(1e-3, "Step size of the policy.", gt=0, le=0.1, advanced=True)
    critic_learning_rate: float = setting(1e-3, "Step size of the critics.", gt=0, le=0.1, advanced=True)
    target_rate: float = setting(
        0.005, "How fast the target critics follow.", gt=0, le=1, title="Target rate", advanced=True
    )
    initial_temperature: float = setting(
        0.01, "Weight of exploration at the start; learned from then on.", gt=0, le=10, advanced=True
    )
    target_entropy: float = setting(
        -3.0, "The randomness that the temperature aims at.", ge=-30, le=10, advanced=True
    )


class Sac(_OffPolicy):
    """Soft actor-critic (arXiv 1812.05905)."""

    kind: Literal["sac"] = "sac"
    critics: int = setting(
        2, "Critics that are learned side by side.", identity=True, ge=1, le=10, advanced=True
    )


class Tqc(_OffPolicy):
    """Truncated quantile critics (arXiv 2005.04269)."""

    kind: Literal["tqc"] = "tqc"
    critics: int = setting(
        2, "Critics that are learned side by side.", identity=True, ge=1, le=10, advanced=True
    )
    quantiles: int = setting(25, "Quantiles of each critic.", identity=True, ge=2, le=200, advanced=True)
    dropped_quantiles: int = setting(2, "Highest quantiles left out per critic.", ge=0, le=199, advanced=True)

    @field_validator("dropped_quantiles")
    @classmethod
    def _some_are_left(cls, value: int, info: object) -> int:
        quantiles = getattr(info, "data", {}).get("quantiles")
        if quantiles is not None and value >= quantiles:
            raise ValueError(f"must be below quantiles, which is {quantiles}")
        return value


Algorithm = Annotated[Tqc | Sac, Field(discriminator="kind")]


class UniformReplay(Section):
    """Past driving, drawn from evenly."""

    kind: Literal["uniform"] = "uniform"
    capacity: int = setting(
        300_000,
        "Transitions that are kept; the oldest go first.",
        unit="transitions",
        ge=1_000,
        le=20_000_000,
    )
    warmup: int = setting(
        2_000, "Transitions driven before the first update.", unit="transitions", ge=0, le=1_000_000
    )


Replay = Annotated[UniformReplay, Field(discriminator="kind")]


class Pacing(Section):
    """How driving and learning keep step."""

    min_updates_per_step: float = setting(
        0.08, "The simulator waits for the learner to make this many updates a step.", ge=0, le=20
    )
    max_updates_per_step: float = setting(
        4.0, "The learner uses its spare time up to this many updates a step.", ge=0.01, le=100
    )
    policy_every_updates: int = setting(
        50, "Updates between two policies sent to the driver.", unit="updates", ge=1, le=10_000, advanced=True
    )
    spool_mb: int = setting(
        256, "Driving kept on disk while the learner is away.", unit="MB", ge=1, le=100_000, advanced=True
    )


class Budget(Section):
    """When the run ends by itself. Whichever comes first."""

    minutes: float = setting(60.0, "Time to train.", unit="min", gt=0, le=100_000)
    steps: int = setting(100_000_000, "Steps to drive.", unit="steps", ge=1, le=100_000_000_000)


class Evaluation(Section):
    """Deterministic trials during training, which choose the best checkpoint."""

    every_s: float = setting(30.0, "Time between two trials.", unit="s", ge=1, le=36_000)
    episodes: int = setting(10, "Laps a trial.", unit="laps", ge=1, le=100)


class Checkpoints(Section):
    """How often the run is saved."""

    every_s: float = setting(60.0, "Time between two checkpoints.", unit="s", ge=5, le=36_000)
    keep: int = setting(3, "Latest checkpoints kept beside the best.", ge=1, le=100, advanced=True)


class RunConfig(Section):
    """Everything that defines a run."""

    schema_version: Literal[1] = SCHEMA_VERSION
    name: str = setting(
        "run", "Name of the run.", min_length=1, max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]*$"
    )
    preset: str = setting("default", "The preset it was made from.")
    seed: int = setting(1, "Start of all random numbers.", ge=0, le=2**31 - 1)
    track: str = setting(
        "valley", "Name of the track in the library.", min_length=1, max_length=80, identity=True
    )
    game: Game = Field(default_factory=SimulatorGame)
    observation: Observation = Field(default_factory=GeometryObservation)
    action: Action = Field(default_factory=AnalogAction)
    timing: ControlTiming = Field(default_factory=ControlTiming)
    reward: Reward = Field(default_factory=Reward)
    episode: Episode = Field(default_factory=Episode)
    randomisation: Randomisation = Field(default_factory=Randomisation)
    algorithm: Algorithm = Field(default_factory=Tqc)
    replay: Replay = Field(default_factory=UniformReplay)
    pacing: Pacing = Field(default_factory=Pacing)
    budget: Budget = Field(default_factory=Budget)
    evaluation: Evaluation = Field(default_factory=Evaluation)
    checkpoints: Checkpoints = Field(default_factory=Checkpoints)
