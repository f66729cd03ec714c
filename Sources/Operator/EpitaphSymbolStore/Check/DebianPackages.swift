// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Looks up the packages of installed files in dpkg's database: dpkg(1).
package struct DebianPackages: Sendable {
    package struct Package: Sendable, Equatable {
        package let name: String
        /// Nil if the status file lacks it.
        package let version: String?

        /// Debian builds `-dbgsym` for each package; the C library's has another name.
        package var debugPackage: String { name == "libc6" ? "libc6-dbg" : name + "-dbgsym" }
    }

    private let directory: String
    /// Debian 12's largest list has 5 MiB, and the status file of a large machine 10.
    private static let byteLimit = 64 << 20

    package init(directory: String = "/var/lib/dpkg") {
        self.directory = directory
    }

    /// The packages of these files, by path; without files of no package. Empty without dpkg.
    package func owners(of paths: [String]) -> [String: Package] {
        let wanted = Dictionary(
            paths.flatMap { path in Self.spellings(path).map { (Array($0.utf8), path) } },
            uniquingKeysWith: { first, _ in first })
        let lists = directory + "/info"
        guard !wanted.isEmpty, let names = try? Directory(opening: lists).list().names else {
            return [:]
        }
        let lengths = Set(wanted.keys.map(\.count))
        var owners: [String: String] = [:]
        for name in names.sorted() where name.hasSuffix(".list") {
            guard let bytes = Self.bytes(of: lists + "/" + name) else { continue }
            for line in bytes.split(separator: UInt8(ascii: "\n"))
            where lengths.contains(line.count) {
                guard let path = wanted[Array(line)], owners[path] == nil else { continue }
                owners[path] = String(name.dropLast(5).prefix { $0 != ":" })
            }
        }
        let versions = versions(of: Set(owners.values))
        return owners.mapValues { Package(name: $0, version: versions[$0]) }
    }

    /// A package may list a file of /usr/lib below /lib: they are one directory since Debian 12.
    private static func spellings(_ path: String) -> [String] {
        for top in ["/lib", "/bin", "/sbin", "/lib64"] {
            if path.hasPrefix("/usr\(top)/") { return [path, String(path.dropFirst(4))] }
            if path.hasPrefix("\(top)/") { return [path, "/usr" + path] }
        }
        return [path]
    }

    private func versions(of names: Set<String>) -> [String: String] {
        guard let bytes = Self.bytes(of: directory + "/status") else { return [:] }
        var versions: [String: String] = [:]
        var package: String?
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if line.isEmpty { package = nil }
            guard line.first == UInt8(ascii: "P") || line.first == UInt8(ascii: "V") else {
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix("Package: ") { package = String(text.dropFirst(9)) }
            if text.hasPrefix("Version: "), let package, names.contains(package) {
                versions[package] = String(text.dropFirst(9))
            }
        }
        return versions
    }

    private static func bytes(of path: String) -> [UInt8]? {
        try? ForeignFile.open(path).readAll(limit: byteLimit)
    }
}
