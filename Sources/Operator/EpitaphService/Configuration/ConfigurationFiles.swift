// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

extension ServiceConfiguration {
    package static let usualPath = "/etc/epitaph/epitaph.conf"
    private static var fileLimit: Int { 1 << 20 }

    /// Reads a file, then the files `*.conf` in the directory `<file>.d`, sorted by name. If
    /// `isNamed`, somebody named the file, and it must exist.
    package init(readingFrom path: String, isNamed: Bool) {
        var problems: [ServiceProblem] = []
        var files: [(path: String, bytes: [UInt8])] = []
        func note(_ error: SystemError, _ path: String) {
            problems.append(
                ServiceProblem(.init(file: path), "it cannot be read: \(error.reason)"))
        }
        func read(_ path: String, mayBeMissing: Bool) {
            do throws(SystemError) {
                files.append((path, try Self.bytes(of: path, &problems)))
            } catch {
                if !mayBeMissing || !error.isNotFound { note(error, path) }
            }
        }
        read(path, mayBeMissing: !isNamed)
        let directory = path + ".d"
        do throws(SystemError) {
            let names = try Directory(named: directory).list(limit: 10_000).names
            // By bytes, as other programs of the system do.
            for name in names.filter({ $0.hasSuffix(".conf") && !$0.hasPrefix(".") })
                .sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
            {
                read(directory + "/" + name, mayBeMissing: true)
            }
        } catch {
            if !error.isNotFound { note(error, directory) }
        }
        self.init(files)
        problems.forEach { add($0) }
    }

    /// Follows a symbolic link: an operator made it.
    private static func bytes(
        of path: String, _ problems: inout [ServiceProblem]
    ) throws(SystemError) -> [UInt8] {
        let file = try FileDescriptor.openForReading(try realPath(of: path))
        let status = try file.fileStatus()
        let place = ServiceProblem.Place(file: path)
        guard status.kind == .regular else {
            problems.append(ServiceProblem(place, "it is not a regular file, and is not read"))
            return []
        }
        if status.permissions & 0o002 != 0 {
            problems.append(
                ServiceProblem(
                    place, "every user may write to it: chmod o-w", isWarning: true))
        }
        let bytes = try file.readAll(limit: fileLimit + 1)
        guard bytes.count <= fileLimit else {
            problems.append(ServiceProblem(place, "it is larger than 1 MiB, and is not read"))
            return []
        }
        return bytes
    }
}
