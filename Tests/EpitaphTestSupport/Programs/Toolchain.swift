// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where tests find compilers and other tools, whatever comes first on the user's PATH.
/// Scripts/tool-path does the same for scripts.
package enum Toolchain {
    /// The directory of `clang`, `swiftc` and the rest of the Swift toolchain whose runtime library
    /// this process runs with; nil when that library is not part of a toolchain.
    package static let directory: String? = {
        // The library is <toolchain>/lib/swift/linux/libswiftCore.so.
        // What reads a whole file at once stops at the first page of this one.
        let file = FileHandle(forReadingAtPath: "/proc/self/maps")
        let maps = (try? file?.readToEnd()) ?? Data()
        let line = String(decoding: maps, as: UTF8.self).split(separator: "\n").first {
            $0.hasSuffix("/libswiftCore.so")
        }
        guard let line, let start = line.firstIndex(of: "/") else { return nil }
        var toolchain = URL(fileURLWithPath: String(line[start...])).resolvingSymlinksInPath()
        for _ in 0..<4 { toolchain.deleteLastPathComponent() }
        let directory = toolchain.appendingPathComponent("bin").path
        return access(directory + "/clang", X_OK) == 0 ? directory : nil
    }()

    /// The PATH of programs that tests run.
    package static let searchPath = searchPath(
        behind: ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin")

    /// The toolchain's directory and the system's, then those of the caller's PATH.
    package static func searchPath(behind callers: String) -> String {
        ([directory].compactMap { $0 } + ["/usr/sbin", "/usr/bin", "/sbin", "/bin", callers])
            .joined(separator: ":")
    }

    /// The path of a program as execvp(3) finds it in `searchPath`; nil when there is none.
    package static func executable(
        _ name: String, searchPath: String = Toolchain.searchPath
    ) -> String? {
        if name.contains("/") { return name }
        for folder in searchPath.split(separator: ":") {
            let path = folder + "/" + name
            if access(path, X_OK) == 0 { return path }
        }
        return nil
    }
}
