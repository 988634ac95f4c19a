"""The driver's connection to its learner: found again whenever it is lost, with the orders that it brings.

Two threads work here, so that driving never waits for the network: one delivers what is in the spool, one waits for
orders and fetches policies. The driving loop reads what they have found.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tmstudio import __version__
from tmstudio.errors import TMStudioError
from tmstudio.runtime.pilot import LoadedPolicy
from tmstudio.runtime.spool import Spool
from tmstudio.transport.channel import PROTOCOL
from tmstudio.transport.client import TrainingClient
from tmstudio.transport.faults import RefusedError, RejectedError, UnreachableError
from tmstudio.transport.proto import tmstudio_pb2 as pb

_BACK_OFF_S: Final = (0.1, 2.0)
_PATIENCE_S: Final = 5.0
_SPOOL_PATIENCE_S: Final = 0.25
_STALLED_S: Final = 60.0
# So that the cars move on evenly instead of in bursts, which people see.
_STEPS_OF_NEWS_PER_CAR: Final = 1

PolicyLoader = Callable[[bytes, int], LoadedPolicy]
"""From a policy file and its version to a policy that can drive."""


@dataclass(frozen=True)
class Identity:
    """What the driver says of itself when it joins."""

    actor_id: str
    fingerprint: str
    cars: int
    observation_size: int
    action_size: int
    reward_terms: int


@dataclass(frozen=True)
class OrderedTrials:
    """Trials that the learner wants, and the policy that shall drive them."""

    number: int
    seeds: tuple[int, ...]
    policy: LoadedPolicy


class Link:
    """Keeps in touch with the learner from :meth:`start` to :meth:`close`.

    Args:
        identity: who drives.
        find_learner: gives the learner's ``host:port`` as far as it is known now, or None.
        token: the run's secret.
        spool: what is to be delivered.
        load_policy: makes a policy of its file.
        emit: tells what happened: kind and fields.

    Attributes:
        orders: the newest orders; None until the first handshake.
        policy: the newest policy; None while there is none.
        trials: the newest ordered trials; None without any.
        policy_lag_s: time from the learner's word of the newest policy until it could drive.
        lost_at: monotonic time at which the connection was lost; None while it stands.
        acknowledged_steps: steps that the learner has.
        fatal: why the learner will never work with this driver; None while it may.
    """

    def __init__(
        self,
        identity: Identity,
        find_learner: Callable[[], str | None],
        token: str,
        spool: Spool,
        load_policy: PolicyLoader,
        emit: Callable[..., None],
    ) -> None:
        self.orders: pb.Orders | None = None
        self.policy: LoadedPolicy | None = None
        self.trials: OrderedTrials | None = None
        self.policy_lag_s = 0.0
        self.lost_at: float | None = None
        self.acknowledged_steps = 0
        self.fatal: TMStudioError | None = None
        self._identity = identity
        self._session = secrets.token_hex(8)
        self._find_learner = find_learner
        self._token = token
        self._spool = spool
        self._load_policy = load_policy
        self._emit = emit
        self._client: TrainingClient | None = None
        self._connecting = threading.Lock()
        self._told = ""
        self._closing = threading.Event()
        self._changed = threading.Condition()
        self._health = pb.Health()
        self._beat_s = time.monotonic()
        self._reports: list[pb.TrialsReport] = []
        self._threads = [
            threading.Thread(target=self._run, args=(loop,), name=name, daemon=True)
            for loop, name in ((self._deliver, "sender"), (self._follow_orders, "orders"))
        ]

    def start(self) -> None:
        """Begin to look for the learner."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End both threads and the connection. What is in the spool stays there."""
        self._closing.set()
        client = self._client
        if client is not None:
            client.close()
        for thread in self._threads:
            thread.join(timeout=_PATIENCE_S)

    def wait_for_news(self, timeout_s: float) -> None:
        """Return when an attribute may have changed, or after ``timeout_s``."""
        with self._changed:
            self._changed.wait(timeout_s)

    def beat(self) -> None:
        """Say that the driving loop still turns; without it the learner is not told that there is a driver."""
        self._beat_s = time.monotonic()

    def tell_health(self, health: pb.Health) -> None:
        """What the learner is told of how the driver is doing, with its next call."""
        self._health = health

    def report_trials(self, report: pb.TrialsReport) -> None:
        """Send the outcome of trials as soon as possible."""
        report.actor_id, report.session = self._identity.actor_id, self._session
        self._reports.append(report)

    def delivered(self, patience_s: float) -> bool:
        """Wait until the spool is empty, up to ``patience_s``; whether it is."""
        deadline = time.monotonic() + patience_s
        while self._spool.steps and time.monotonic() < deadline and self.fatal is None:
            self.wait_for_news(0.05)
        return not self._spool.steps

    def _run(self, loop: Callable[[TrainingClient], None]) -> None:
        """One thread: work while there is a connection, make a new one when it is lost, end when refused."""
        back_off_s = _BACK_OFF_S[0]
        client: TrainingClient | None = None
        while not self._closing.is_set() and self.fatal is None:
            try:
                client = self._connected()
                back_off_s = _BACK_OFF_S[0]
                while not self._closing.is_set():
                    loop(client)
            except UnreachableError as error:
                self._lost(client, error)
                self._closing.wait(back_off_s * (1.0 + secrets.randbelow(100) / 200))
                back_off_s = min(2.0 * back_off_s, _BACK_OFF_S[1])
            except Exception as error:  # noqa: BLE001 no thread dies unheard: the driving loop raises it
                self.fatal = error if isinstance(error, TMStudioError) else _bug(error)
                self._notify()

    def _connected(self) -> TrainingClient:
        """The connection, made anew by the first thread that finds it lost."""
        with self._connecting:
            if self._client is not None:
                return self._client
            address = self._find_learner()
            if address is None:
                raise UnreachableError("The learner is not there yet", hint="start it")
            client = TrainingClient(address, self._token)
            try:
                self._join(client)
            except BaseException:
                client.close()
                raise
            self._client = client
            self._told = ""
            self._emit("connected", address=address)
            return client

    def _join(self, client: TrainingClient) -> None:
        identity = self._identity
        reply = client.join(
            pb.JoinRequest(
                protocol=PROTOCOL,
                program_version=__version__,
                fingerprint=identity.fingerprint,
                actor_id=identity.actor_id,
                session=self._session,
                cars=identity.cars,
                observation_size=identity.observation_size,
                action_size=identity.action_size,
                reward_terms=identity.reward_terms,
            )
        )
        self._spool.continue_after(reply.sequence)
        self.acknowledged_steps = reply.steps
        self.trials = None
        self.orders = reply.orders
        self.lost_at = None
        self._notify()

    def _lost(self, client: TrainingClient | None, error: TMStudioError) -> None:
        with self._connecting:
            if self._client is client:  # else the other thread has made a new one already
                self._client = None
                if client is not None:
                    client.close()
                    self.lost_at = time.monotonic()
            # Once for each reason, not at each try.
            if error.message != self._told and not self._closing.is_set():
                self._told = error.message
                self._emit(
                    "no learner", message=error.message, cause=error.cause, waiting_steps=self._spool.steps
                )

    def _deliver(self, client: TrainingClient) -> None:
        batch = self._spool.oldest(_SPOOL_PATIENCE_S)
        if self._client is not client:
            raise UnreachableError("The connection was lost")
        if batch is None:
            return
        try:
            push = pb.PushRequest(
                actor_id=self._identity.actor_id,
                session=self._session,
                sequence=batch.sequence,
                steps=batch.steps,
                batch=self._spool.read(batch),
            )
            orders = client.push(push)
        except (UnreachableError, RefusedError):
            raise
        except TMStudioError as error:  # damaged here, or of no use there: the others go on
            path = self._spool.set_aside(batch)
            self._emit(
                "driving lost", message=error.message, cause=error.cause, steps=batch.steps, file=str(path)
            )
            return
        self.acknowledged_steps += batch.steps
        self._spool.acknowledge(batch.sequence)
        self._allow(orders.step_limit)

    def _allow(self, step_limit: int) -> None:
        """Take a limit that came beside the newest orders; it only grows while the connection stands."""
        with self._changed:
            if self.orders is not None and step_limit > self.orders.step_limit:
                newer = pb.Orders()
                newer.CopyFrom(self.orders)
                newer.step_limit = step_limit
                self.orders = newer
            self._changed.notify_all()

    def _follow_orders(self, client: TrainingClient) -> None:
        if time.monotonic() - self._beat_s > _STALLED_S:
            raise TMStudioError(
                "The driving has stalled", cause=f"nothing has happened for {_STALLED_S:.0f} s"
            )
        while self._reports:
            client.report_trials(self._reports[0])
            del self._reports[0]
        known = self.orders if self.orders is not None else pb.Orders()
        self._fetch(client, known)
        orders = client.pace(
            pb.PaceRequest(
                actor_id=self._identity.actor_id,
                session=self._session,
                known=known,
                wanted_steps=known.step_limit + _STEPS_OF_NEWS_PER_CAR * self._identity.cars,
                patience_s=_PATIENCE_S,
                health=self._health,
            )
        )
        with self._changed:
            if self.orders is not None:
                orders.step_limit = max(orders.step_limit, self.orders.step_limit)
            self.orders = orders
            self._changed.notify_all()

    def _fetch(self, client: TrainingClient, orders: pb.Orders) -> None:
        """Get the policies that the orders speak of."""
        try:
            version = orders.policy_version
            if version and (self.policy is None or self.policy.version != version):
                begun = time.monotonic()
                self.policy = self._load_policy(client.fetch_policy(version), version)
                self.policy_lag_s = time.monotonic() - begun
                self._notify()
            trials = orders.trials
            if trials.number and (self.trials is None or self.trials.number != trials.number):
                policy = self.policy
                if policy is None or policy.version != trials.policy_version:
                    policy = self._load_policy(
                        client.fetch_policy(trials.policy_version), trials.policy_version
                    )
                self.trials = OrderedTrials(trials.number, tuple(trials.seeds), policy)
                self._notify()
        except RejectedError:
            pass  # replaced by a newer one meanwhile: the next orders say which

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()


def _bug(error: Exception) -> TMStudioError:
    fault = TMStudioError(
        "The connection to the learner failed",
        cause=f"{type(error).__name__}: {error}",
        hint="this is a fault of TMStudio; the log has the details",
    )
    fault.__cause__ = error
    return fault
