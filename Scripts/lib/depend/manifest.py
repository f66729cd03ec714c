# SPDX-License-Identifier: Apache-2.0
"""What a package's manifest and headers may not have, because other packages depend on it."""

import re

# Paths of the machine, as headers, module maps and settings would name them.
ABSOLUTE = re.compile(r"""(?:#\s*include|\bheader)\s*[<"]/|-[ILF]\s*/|-(?:isystem|include)\s+/""")


def libraries(manifest):
    """The library products by name, with their targets."""
    return {product["name"]: product["targets"] for product in manifest["products"] if "library" in product["type"]}


def complaints(package, manifest):
    targets = {target["name"]: target for target in manifest["targets"]}
    found = []
    for product, roots in libraries(manifest).items():
        for name in sorted(reachable(roots, targets)):
            target = targets[name]
            for setting in target["settings"]:
                words = setting["kind"].get("unsafeFlags", {}).get("_0")
                if words:
                    # SwiftPM refuses them in a package that is depended on by version.
                    found.append(f"{product}: {name} has unsafeFlags {words}")
            found.extend(f"{product}: {problem}" for problem in absolute_paths(package, target))
    for line in (package / "Package.swift").read_text().splitlines():
        if re.search(r'"/', line):
            found.append(f"Package.swift: an absolute path: {line.strip()}")
    return list(dict.fromkeys(found))


def reachable(roots, targets):
    found, waiting = set(), list(roots)
    while waiting:
        name = waiting.pop()
        if name in targets and name not in found:
            found.add(name)
            waiting += [next(iter(dependency.values()))[0] for dependency in targets[name]["dependencies"]]
    return found


def absolute_paths(package, target):
    folder = package / (target.get("path") or f"Sources/{target['name']}")
    for file in sorted([*folder.rglob("*.h"), *folder.rglob("*.modulemap")]):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if ABSOLUTE.search(line):
                yield f"{file.relative_to(package)}:{number}: an absolute path: {line.strip()}"
