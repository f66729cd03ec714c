// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// What `--header` takes: `NAME: VALUE`, or `@FILE` with one header a line. Values are credentials
/// more often than not, and never repeated.
enum HeaderOption {
    private static let longestFile = 65_536

    static func headers(
        _ values: [String], of command: CommandDescription
    ) throws(CommandFailure) -> [(name: String, value: String)] {
        var lines: [String] = []
        for value in values {
            if value.hasPrefix("@") {
                lines += try fileLines(String(value.dropFirst()))
            } else {
                lines.append(value)
            }
        }
        var headers: [(name: String, value: String)] = []
        for line in lines {
            guard let header = header(line) else {
                throw CommandFailure(
                    usage: UsageError("a header is written NAME: VALUE"), of: command)
            }
            headers.append(header)
        }
        return headers
    }

    private static func header(_ line: String) -> (name: String, value: String)? {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let value = parts[1].drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
        return (String(parts[0]), String(value))
    }

    private static func fileLines(_ path: String) throws(CommandFailure) -> [String] {
        do throws(SystemError) {
            let bytes = try FileDescriptor.openForReading(path).readAll(limit: longestFile)
            return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
                .map(String.init)
        } catch {
            throw CommandFailure(.notFound, "cannot read the headers in \(path): \(error.reason)")
        }
    }
}
