// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The file's name, as basename(3) has it, but empty for a path of no components.
    package var lastPathComponent: String { split(separator: "/").last.map(String.init) ?? "" }

    /// The path without its last component, as dirname(3) has it, if it does not end with a slash:
    /// `.` for a bare name, `/` for a name in the root directory.
    package var parentPath: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
