// SPDX-License-Identifier: Apache-2.0

import Glibc

/// realpath(3): the absolute path without symbolic links, `.` and `..`; an error when there is
/// nothing there.
///
/// For paths a person named: files are opened without following a link, but a person may mean one.
public func realPath(of path: String) throws(SystemError) -> String {
    guard let resolved = realpath(path, nil) else { throw .last("realpath", path) }
    defer { free(resolved) }
    return String(cString: resolved)
}
