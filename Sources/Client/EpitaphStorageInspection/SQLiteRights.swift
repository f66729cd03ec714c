// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

// SQLite asks this before it compiles part of a statement: sqlite.org/c3ref/set_authorizer.html.

typealias SQLiteText = UnsafePointer<CChar>?

private let tellingPragmas: Set<String> = [
    "foreign_key_list", "index_info", "index_list", "index_xinfo", "table_info", "table_list",
    "table_xinfo",
]

private let readingActions: Set<Int32> = [
    Int32(SQLITE_FUNCTION), Int32(SQLITE_READ), Int32(SQLITE_RECURSIVE), Int32(SQLITE_SELECT),
]

private let neverActions: Set<Int32> = [
    Int32(SQLITE_ATTACH), Int32(SQLITE_CREATE_VTABLE), Int32(SQLITE_DETACH),
    Int32(SQLITE_DROP_VTABLE),
]

private let neverFunctions: Set<String> = [
    "load_extension", "readfile", "writefile", "edit", "fts3_tokenizer",
]

typealias SQLiteAuthorizer =
    @convention(c) (UnsafeMutableRawPointer?, Int32, SQLiteText, SQLiteText, SQLiteText, SQLiteText)
    -> Int32

let authorizeReading: SQLiteAuthorizer = { _, action, first, second, _, _ in
    verdict(on: action, first, second, isPermitted: readingActions.contains(action))
}

let authorizeChanging: SQLiteAuthorizer = { _, action, first, second, _, _ in
    verdict(on: action, first, second, isPermitted: !neverActions.contains(action))
}

/// Pragmas and functions are judged by name, whatever else is permitted.
private func verdict(
    on action: Int32, _ first: SQLiteText, _ second: SQLiteText, isPermitted: Bool
) -> Int32 {
    let isAllowed =
        if action == Int32(SQLITE_PRAGMA) {
            isTelling(first, second)
        } else {
            isPermitted && isHarmless(action, second)
        }
    return Int32(isAllowed ? SQLITE_OK : SQLITE_DENY)
}

/// The first text is the pragma's name, the second its new value.
private func isTelling(_ name: SQLiteText, _ value: SQLiteText) -> Bool {
    guard let name else { return false }
    return tellingPragmas.contains(String(cString: name).lowercased())
}

/// The function's name is the second text.
private func isHarmless(_ action: Int32, _ name: SQLiteText) -> Bool {
    guard action == Int32(SQLITE_FUNCTION), let name else { return true }
    return !neverFunctions.contains(String(cString: name).lowercased())
}
