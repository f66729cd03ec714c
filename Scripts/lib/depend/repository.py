# SPDX-License-Identifier: Apache-2.0
"""A package as others get it by URL and version: a repository with one commit and a tag."""

import os
import pathlib
import shutil
import subprocess

VERSION = "1.0.0"
AUTHOR = {
    f"GIT_{role}_{name}": value
    for role in ("AUTHOR", "COMMITTER")
    for name, value in {"NAME": "Scripts/depend", "EMAIL": "depend@invalid", "DATE": "2026-01-01T00:00:00Z"}.items()
}


def make(folder, package):
    """Makes a bare repository in `folder` of the files of `package` that Git tracks, as they are in its working tree,
    and of new ones that it does not ignore."""
    git("init", "--quiet", "--bare", "--template=", str(folder), cwd=package)
    # The package's repository is only read: what it has already need not be written once more.
    (folder / "objects/info").mkdir(exist_ok=True)
    (folder / "objects/info/alternates").write_text(f"{place('objects', package)}\n")
    if place("index", package).exists():
        shutil.copy2(place("index", package), folder / "index")
    inside = {**AUTHOR, "GIT_DIR": str(folder), "GIT_WORK_TREE": str(package)}
    git("-c", "core.bare=false", "add", "--all", cwd=package, environment=inside)
    tree = git("write-tree", cwd=package, environment=inside).strip()
    commit = git("commit-tree", tree, "-m", f"Version {VERSION}", cwd=package, environment=inside).strip()
    for name in ("refs/heads/main", f"refs/tags/{VERSION}"):
        git("update-ref", name, commit, cwd=package, environment=inside)
    git("symbolic-ref", "HEAD", "refs/heads/main", cwd=package, environment=inside)


def place(name, package):
    """Where Git keeps it, in a working tree of its own too: git-rev-parse(1), --git-path."""
    return package / pathlib.Path(git("rev-parse", "--git-path", name, cwd=package).strip())


def git(*words, cwd, environment=None):
    # A hook that runs this has variables of its own repository.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    answer = subprocess.run(["git", *words], cwd=cwd, env={**variables, **(environment or {})}, capture_output=True,
                            text=True)
    if answer.returncode != 0:
        raise SystemExit(f"depend: git {words[0]} failed: {answer.stderr.strip()}")
    return answer.stdout
