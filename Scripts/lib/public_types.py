# SPDX-License-Identifier: Apache-2.0
"""Prints every public type that has the name of a module, of the toolchain or of a package that servers use: with both
imported, `Metrics.Timer` and what `@Observable` expands to would be looked for in the type. Run by Scripts/lint."""

import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Scripts/lib"))

from depend import neighbours  # noqa: E402

# What is not indented is in no other type.
DECLARATION = re.compile(
    r"^(?:@\w+(?:\([^)\n]*\))?\s+)*public\s+(?:(?:final|indirect|distributed)\s+)*"
    r"(?:actor|class|enum|macro|protocol|struct|typealias)\s+(\w+)", re.MULTILINE)


def modules_of_the_toolchain():
    answer = subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True, text=True)
    folder = pathlib.Path(json.loads(answer.stdout)["paths"]["runtimeResourcePath"]) / "linux"
    return {path.stem for path in folder.glob("*.swiftmodule")}


def main():
    owners = {module: f"the package {neighbour.identity}"
              for neighbour in neighbours.table() for module in neighbour.modules}
    owners |= dict.fromkeys(modules_of_the_toolchain(), "the toolchain")
    for file in sorted((ROOT / "Sources").rglob("*.swift")):
        for name in DECLARATION.findall(file.read_text()):
            if name in owners:
                print(f"{file.relative_to(ROOT)}: {name} is also a module of {owners[name]}")


main()
