from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class JoinRequest(_message.Message):
    __slots__ = ("protocol", "program_version", "fingerprint", "actor_id", "session", "cars", "observation_size", "action_size", "reward_terms")
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    PROGRAM_VERSION_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    CARS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_SIZE_FIELD_NUMBER: _ClassVar[int]
    ACTION_SIZE_FIELD_NUMBER: _ClassVar[int]
    REWARD_TERMS_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    program_version: str
    fingerprint: str
    actor_id: str
    session: str
    cars: int
    observation_size: int
    action_size: int
    reward_terms: int
    def __init__(self, protocol: _Optional[int] = ..., program_version: _Optional[str] = ..., fingerprint: _Optional[str] = ..., actor_id: _Optional[str] = ..., session: _Optional[str] = ..., cars: _Optional[int] = ..., observation_size: _Optional[int] = ..., action_size: _Optional[int] = ..., reward_terms: _Optional[int] = ...) -> None: ...

class JoinReply(_message.Message):
    __slots__ = ("protocol", "program_version", "sequence", "steps", "orders")
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    PROGRAM_VERSION_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    ORDERS_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    program_version: str
    sequence: int
    steps: int
    orders: Orders
    def __init__(self, protocol: _Optional[int] = ..., program_version: _Optional[str] = ..., sequence: _Optional[int] = ..., steps: _Optional[int] = ..., orders: _Optional[_Union[Orders, _Mapping]] = ...) -> None: ...

class Orders(_message.Message):
    __slots__ = ("step_limit", "policy_version", "trials", "paused", "finished")
    STEP_LIMIT_FIELD_NUMBER: _ClassVar[int]
    POLICY_VERSION_FIELD_NUMBER: _ClassVar[int]
    TRIALS_FIELD_NUMBER: _ClassVar[int]
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    step_limit: int
    policy_version: int
    trials: TrialsOrder
    paused: bool
    finished: bool
    def __init__(self, step_limit: _Optional[int] = ..., policy_version: _Optional[int] = ..., trials: _Optional[_Union[TrialsOrder, _Mapping]] = ..., paused: _Optional[bool] = ..., finished: _Optional[bool] = ...) -> None: ...

class TrialsOrder(_message.Message):
    __slots__ = ("number", "policy_version", "seeds")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    POLICY_VERSION_FIELD_NUMBER: _ClassVar[int]
    SEEDS_FIELD_NUMBER: _ClassVar[int]
    number: int
    policy_version: int
    seeds: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, number: _Optional[int] = ..., policy_version: _Optional[int] = ..., seeds: _Optional[_Iterable[int]] = ...) -> None: ...

class PushRequest(_message.Message):
    __slots__ = ("actor_id", "session", "sequence", "steps", "batch")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    session: str
    sequence: int
    steps: int
    batch: bytes
    def __init__(self, actor_id: _Optional[str] = ..., session: _Optional[str] = ..., sequence: _Optional[int] = ..., steps: _Optional[int] = ..., batch: _Optional[bytes] = ...) -> None: ...

class PushReply(_message.Message):
    __slots__ = ("orders",)
    ORDERS_FIELD_NUMBER: _ClassVar[int]
    orders: Orders
    def __init__(self, orders: _Optional[_Union[Orders, _Mapping]] = ...) -> None: ...

class PaceRequest(_message.Message):
    __slots__ = ("actor_id", "session", "known", "wanted_steps", "patience_s", "health")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    WANTED_STEPS_FIELD_NUMBER: _ClassVar[int]
    PATIENCE_S_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    session: str
    known: Orders
    wanted_steps: int
    patience_s: float
    health: Health
    def __init__(self, actor_id: _Optional[str] = ..., session: _Optional[str] = ..., known: _Optional[_Union[Orders, _Mapping]] = ..., wanted_steps: _Optional[int] = ..., patience_s: _Optional[float] = ..., health: _Optional[_Union[Health, _Mapping]] = ...) -> None: ...

class PaceReply(_message.Message):
    __slots__ = ("orders",)
    ORDERS_FIELD_NUMBER: _ClassVar[int]
    orders: Orders
    def __init__(self, orders: _Optional[_Union[Orders, _Mapping]] = ...) -> None: ...

class Health(_message.Message):
    __slots__ = ("steps_per_s", "speed_factor", "step_ms", "deadline_misses", "policy_lag_s", "backlog_steps")
    STEPS_PER_S_FIELD_NUMBER: _ClassVar[int]
    SPEED_FACTOR_FIELD_NUMBER: _ClassVar[int]
    STEP_MS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MISSES_FIELD_NUMBER: _ClassVar[int]
    POLICY_LAG_S_FIELD_NUMBER: _ClassVar[int]
    BACKLOG_STEPS_FIELD_NUMBER: _ClassVar[int]
    steps_per_s: float
    speed_factor: float
    step_ms: float
    deadline_misses: int
    policy_lag_s: float
    backlog_steps: int
    def __init__(self, steps_per_s: _Optional[float] = ..., speed_factor: _Optional[float] = ..., step_ms: _Optional[float] = ..., deadline_misses: _Optional[int] = ..., policy_lag_s: _Optional[float] = ..., backlog_steps: _Optional[int] = ...) -> None: ...

class Batch(_message.Message):
    __slots__ = ("rollouts", "episodes")
    ROLLOUTS_FIELD_NUMBER: _ClassVar[int]
    EPISODES_FIELD_NUMBER: _ClassVar[int]
    rollouts: _containers.RepeatedCompositeFieldContainer[Rollout]
    episodes: _containers.RepeatedCompositeFieldContainer[Episode]
    def __init__(self, rollouts: _Optional[_Iterable[_Union[Rollout, _Mapping]]] = ..., episodes: _Optional[_Iterable[_Union[Episode, _Mapping]]] = ...) -> None: ...

class Rollout(_message.Message):
    __slots__ = ("lane", "transitions", "observation_size", "action_size", "reward_terms", "observations", "actions", "terms", "ends")
    LANE_FIELD_NUMBER: _ClassVar[int]
    TRANSITIONS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_SIZE_FIELD_NUMBER: _ClassVar[int]
    ACTION_SIZE_FIELD_NUMBER: _ClassVar[int]
    REWARD_TERMS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATIONS_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    TERMS_FIELD_NUMBER: _ClassVar[int]
    ENDS_FIELD_NUMBER: _ClassVar[int]
    lane: int
    transitions: int
    observation_size: int
    action_size: int
    reward_terms: int
    observations: bytes
    actions: bytes
    terms: bytes
    ends: bytes
    def __init__(self, lane: _Optional[int] = ..., transitions: _Optional[int] = ..., observation_size: _Optional[int] = ..., action_size: _Optional[int] = ..., reward_terms: _Optional[int] = ..., observations: _Optional[bytes] = ..., actions: _Optional[bytes] = ..., terms: _Optional[bytes] = ..., ends: _Optional[bytes] = ...) -> None: ...

class Episode(_message.Message):
    __slots__ = ("car", "policy_step", "mixed_policies", "exploring", "speed_factor", "from_start", "finished", "lap_time_s", "progress_m", "progress_fraction", "return_sum", "steps", "end", "terms", "sectors_s", "start_seed")
    class TermsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    CAR_FIELD_NUMBER: _ClassVar[int]
    POLICY_STEP_FIELD_NUMBER: _ClassVar[int]
    MIXED_POLICIES_FIELD_NUMBER: _ClassVar[int]
    EXPLORING_FIELD_NUMBER: _ClassVar[int]
    SPEED_FACTOR_FIELD_NUMBER: _ClassVar[int]
    FROM_START_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    LAP_TIME_S_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_M_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FRACTION_FIELD_NUMBER: _ClassVar[int]
    RETURN_SUM_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    TERMS_FIELD_NUMBER: _ClassVar[int]
    SECTORS_S_FIELD_NUMBER: _ClassVar[int]
    START_SEED_FIELD_NUMBER: _ClassVar[int]
    car: int
    policy_step: int
    mixed_policies: bool
    exploring: bool
    speed_factor: float
    from_start: bool
    finished: bool
    lap_time_s: float
    progress_m: float
    progress_fraction: float
    return_sum: float
    steps: int
    end: str
    terms: _containers.ScalarMap[str, float]
    sectors_s: _containers.RepeatedScalarFieldContainer[float]
    start_seed: int
    def __init__(self, car: _Optional[int] = ..., policy_step: _Optional[int] = ..., mixed_policies: _Optional[bool] = ..., exploring: _Optional[bool] = ..., speed_factor: _Optional[float] = ..., from_start: _Optional[bool] = ..., finished: _Optional[bool] = ..., lap_time_s: _Optional[float] = ..., progress_m: _Optional[float] = ..., progress_fraction: _Optional[float] = ..., return_sum: _Optional[float] = ..., steps: _Optional[int] = ..., end: _Optional[str] = ..., terms: _Optional[_Mapping[str, float]] = ..., sectors_s: _Optional[_Iterable[float]] = ..., start_seed: _Optional[int] = ...) -> None: ...

class PolicyRequest(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class PolicyPart(_message.Message):
    __slots__ = ("total_bytes", "content")
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    total_bytes: int
    content: bytes
    def __init__(self, total_bytes: _Optional[int] = ..., content: _Optional[bytes] = ...) -> None: ...

class TrialsReport(_message.Message):
    __slots__ = ("actor_id", "session", "number", "policy_version", "episodes", "speed", "origin")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    POLICY_VERSION_FIELD_NUMBER: _ClassVar[int]
    EPISODES_FIELD_NUMBER: _ClassVar[int]
    SPEED_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    session: str
    number: int
    policy_version: int
    episodes: _containers.RepeatedCompositeFieldContainer[Episode]
    speed: float
    origin: str
    def __init__(self, actor_id: _Optional[str] = ..., session: _Optional[str] = ..., number: _Optional[int] = ..., policy_version: _Optional[int] = ..., episodes: _Optional[_Iterable[_Union[Episode, _Mapping]]] = ..., speed: _Optional[float] = ..., origin: _Optional[str] = ...) -> None: ...

class TrialsReply(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CommandRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class CommandReply(_message.Message):
    __slots__ = ("message",)
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    message: str
    def __init__(self, message: _Optional[str] = ...) -> None: ...

class StatusRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class StatusReply(_message.Message):
    __slots__ = ("json",)
    JSON_FIELD_NUMBER: _ClassVar[int]
    json: str
    def __init__(self, json: _Optional[str] = ...) -> None: ...
