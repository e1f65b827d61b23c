# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
"""Many apps in the store: one hot app among them against a store that has one app,
and decisions spread evenly over all of them; time to start and memory."""

import argparse
import time

import benchlib


def main():
    parser = argparse.ArgumentParser(prog="./dev bench apps", description=__doc__)
    parser.add_argument("--apps", type=int, default=1_000_000)
    parser.add_argument("--cache", type=int, default=10_000, help="cache_apps of keeperd")
    parser.add_argument("--in-flight", default="16")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one server in one round")
    parser.add_argument("--json", help="file for the figures")
    arguments = parser.parse_args()
    flags = ["--cache-apps", str(arguments.cache)]
    # Names of one length, so that requests and answers have one size.
    hot_app = "app-0000000"
    common = ["--in-flight", arguments.in_flight, "--rounds", arguments.rounds, "--seconds", arguments.seconds]

    print(benchlib.machine(), "\n")
    summary = {"apps": arguments.apps, "cache_apps": arguments.cache}
    with benchlib.folder() as work, \
            benchlib.Keeperd(work / "one", *flags) as one, benchlib.Keeperd(work / "many", *flags) as many:
        one.put_policy(hot_app, mode="FULL_ACCESS")
        begin = time.monotonic()
        benchlib.loadgen("put", "--apps", arguments.apps, env=many.env(), quiet=True)
        summary["load_s"] = time.monotonic() - begin
        summary["apps_loaded_per_s"] = arguments.apps / summary["load_s"]
        summary["rss_after_load_mib"] = many.rss_mib()
        many.stop()
        summary["start_to_ready_s"] = many.start()
        summary["rss_after_start_mib"] = many.rss_mib()
        print(f"{arguments.apps} apps loaded in {summary['load_s']:.1f} s "
              f"({summary['apps_loaded_per_s']:.0f}/s); started again in {summary['start_to_ready_s']:.2f} s, "
              f"RSS {summary['rss_after_start_mib']:.0f} MiB (after loading {summary['rss_after_load_mib']:.0f})\n")

        print(f"One hot app among {arguments.apps}, a store with one app has ratio 1:")
        summary["hot"] = benchlib.measure("--server", many.server("many"), "--server", one.server("one"),
                                          "--app", hot_app, *common)
        print(f"\nEvenly over {arguments.apps} apps, cache of {arguments.cache}:")
        misses = many.counter("bridgekeeper_cache_misses_total")
        summary["even"] = benchlib.measure("--server", many.server("even", arguments.apps),
                                           "--server", one.server("one", 1), *common)
        summary["misses"] = many.counter("bridgekeeper_cache_misses_total") - misses
        summary["rss_mib"] = many.rss_mib()
        print(f"\n{summary['misses']:.0f} cache misses, RSS {summary['rss_mib']:.0f} MiB")
    benchlib.finish("apps", summary, arguments)


benchlib.run(main)
