// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The file's name, as basename(3) has it, but empty for a path of no components.
    package var lastPathComponent: String {
        let slash = UInt8(ascii: "/")
        guard let last = utf8.lastIndex(where: { $0 != slash }) else { return "" }
        let path = utf8[...last]
        return String(Substring(path.lastIndex(of: slash).map { path[$0...].dropFirst() } ?? path))
    }

    /// The path without its last component, as dirname(3) has it, if it does not end with a slash:
    /// `.` for a bare name, `/` for a name in the root directory.
    package var parentPath: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
