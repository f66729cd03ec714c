# SPDX-License-Identifier: Apache-2.0
"""The programs of Tests/PackageNeighbours/Programs: one for each library product, built with the neighbours and run."""

import os
import subprocess

from depend import neighbours
from depend.consumer import errors

RUN_S = 120


def complaints(consumer, libraries):
    folder = neighbours.FOLDER / "Programs"
    missing = [product for product in libraries if not (folder / product).is_dir()]
    if missing:
        return [f"no program of Tests/PackageNeighbours depends on {', '.join(missing)}"]
    # A target may not have the name of a module that it imports.
    names = {product: f"Uses{product}" for product in libraries}
    consumer.write([(name, product, folder / product) for product, name in names.items()])
    built = consumer.swift("build")
    if built.returncode != 0:
        return errors(built)
    products = consumer.swift("build", "--show-bin-path").stdout.strip()
    return [problem for name in names.values()
            for problem in ran(f"{products}/{name}", consumer.folder / f"{name}-database")]


def ran(program, database):
    """Each gets the path of a database, and ends with 0 and a line that begins with "used" if all was as it should."""
    try:
        answer = subprocess.run(
            [program, database], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=RUN_S,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
    except subprocess.TimeoutExpired:
        return [f"{program} did not end"]
    if answer.returncode != 0 or not answer.stdout.startswith("used "):
        return [f"{program} ended with {answer.returncode}: {answer.stdout}{answer.stderr}"]
    return []
