"""A fleet of real services of the release before becomes one of ours, and the other way round, under load."""

import os
import random
from dataclasses import replace

import pytest

from keel_dev.settings import Settings
from tests.e2e.waiting import wait_for
from tests.interop.cells import OURS, Cell
from tests.interop.deployment import Deployment, hosts_of
from tests.interop.leftovers import Leftovers
from tests.interop.load import Load
from tests.interop.report import Report

OLD = "33"
ROW = "a rolling upgrade"
FLEET = Cell("roll-33-to-ours-and-back", ROW, api=OLD, conductor=OLD, scheduler=OLD, computes=(OLD,))
PLACES = ("api", "conductor", "scheduler", "computes")


class Roll:
    """Exchanges one place of a fleet after the other."""

    def __init__(self, deployment: Deployment, load: Load) -> None:
        self.deployment = deployment
        self.load = load

    def exchange(self, place: str, cell: Cell) -> None:
        """Put the choice of `cell` into a place of the running fleet.

        A real service that ends loses the messages that reach it meanwhile, whoever sends them; so the load is quiet
        for the seconds in which one ends. Nothing is held for ours.
        """
        now = self.deployment.cell
        choice = getattr(cell, place)
        if place == "computes":
            self._computes(choice)
        elif choice == OURS:
            with self.load.quiet():
                self.deployment.exchange(replace(now, **{place: choice}))
        else:
            self.deployment.exchange(replace(now, **{place: choice}))

    def _computes(self, kinds: tuple[str, ...]) -> None:
        """The new hosts join; the old ones take no more servers and go when they have none."""
        now = self.deployment.cell
        self.deployment.exchange(replace(now, computes=(*kinds, *now.computes)))
        self.deployment.enable(hosts_of(kinds))
        self.deployment.disable(hosts_of(now.computes))
        gone = False
        while not gone:
            wait_for("hosts without servers", lambda: not self.deployment.servers_on(hosts_of(now.computes)), 300)
            with self.load.quiet():
                # One that was being scheduled when its host was closed may have come meanwhile.
                gone = not self.deployment.servers_on(hosts_of(now.computes))
                if gone:
                    self.deployment.exchange(replace(now, computes=kinds))


def test_roll_33_to_ours_and_back(settings: Settings, deployment: Deployment, report: Report) -> None:
    """Every place in a random order, pins on auto; no request fails on the way, forth or back."""
    seed = int(os.environ.get("KEEL_ROLL_SEED") or random.SystemRandom().randrange(1_000_000))
    dice = random.Random(seed)
    line = report.line(ROW, FLEET.name, f"{OLD} to ours")
    line.marks["boot"] = f"seed {seed}"
    deployment.begin_anew(FLEET)
    leftovers = Leftovers(settings, deployment.world)
    load = Load(settings)
    roll = Roll(deployment, load)
    load.start()
    try:
        for target in (Cell("", ROW), FLEET):
            order = dice.sample(PLACES, len(PLACES))
            print(f"seed {seed}: {', '.join(order)}")
            for place in order:
                roll.exchange(place, target)
                load.wait()
                assert not load.failures, f"seed {seed}, {place} of {order}: {load.failures}"
    finally:
        load.stop()
        load.tidy()
    line.marks["delete"] = f"{load.finished} servers"
    assert not load.failures, f"seed {seed}: {load.failures}"
    left = leftovers.of([load])
    line.marks["leftovers"] = "FAILED" if left else "none"
    assert not left, f"seed {seed}: {left}"
    if load.finished < 8:
        pytest.fail("there was hardly any load")
