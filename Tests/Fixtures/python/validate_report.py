# SPDX-License-Identifier: Apache-2.0
"""Checks JSON reports against a schema with PyPI's `jsonschema`; prints one line for each error.

usage: validate_report.py SCHEMA REPORT...
"""
import json
import sys

from jsonschema import Draft202012Validator


def members(pairs):
    # RFC 8259, 4: names within an object should be unique; Python keeps the last of equal ones.
    names = [name for name, _ in pairs]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ValueError(f"names that repeat: {sorted(repeated)}")
    return dict(pairs)


def main(schema_path, *paths):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                report = json.load(file, object_pairs_hook=members)
        except ValueError as error:
            print(f"{path}: {error}")
            continue
        for error in validator.iter_errors(report):
            print(f"{path}: {error.json_path}: {error.message[:200]}")


main(*sys.argv[1:])
