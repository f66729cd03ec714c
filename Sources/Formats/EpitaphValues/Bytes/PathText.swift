// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The file's name, as basename(3) has it, but empty for a path of no components.
    package var lastPathComponent: String { lastComponent { $0 == UInt8(ascii: "/") } ?? "" }

    /// Nil if there is nothing but separators, which are ASCII.
    func lastComponent(separatedBy isSeparator: (UInt8) -> Bool) -> String? {
        guard let last = utf8.lastIndex(where: { !isSeparator($0) }) else { return nil }
        let path = utf8[...last]
        let start = path.lastIndex(where: isSeparator)
        return String(Substring(start.map { path[$0...].dropFirst() } ?? path))
    }

    /// The path without its last component, as dirname(3) has it, if it does not end with a slash:
    /// `.` for a bare name, `/` for a name in the root directory.
    package var parentPath: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
