// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// `NAME: VALUE`, or `@FILE` with one header per line. Often credentials, so never printed.
enum HeaderOption {
    private static let longestFile = 65_536

    static func headers(
        _ values: [String], of command: CommandDescription
    ) throws(CommandFailure) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        for value in values {
            if value.hasPrefix("@") {
                headers += try self.headers(inFile: String(value.dropFirst()))
            } else if let header = header(value) {
                headers.append(header)
            } else {
                throw CommandFailure(usage: "a header is written NAME: VALUE", of: command)
            }
        }
        return headers
    }

    private static func header(_ line: some StringProtocol) -> (name: String, value: String)? {
        guard let (name, rest) = line.halves(at: ":"), !name.isEmpty else { return nil }
        let value = rest.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
        return (String(name), String(value))
    }

    /// Follows symbolic links: the user gave the path, and secrets in containers are links.
    static func headers(
        inFile path: String
    ) throws(CommandFailure) -> [(name: String, value: String)] {
        let bytes = try orReason(
            .notFound, "cannot read the headers in \(path)",
            FileDescriptor.openForReading(realPath(of: path)).readAll(limit: longestFile + 1))
        guard bytes.count <= longestFile else {
            throw CommandFailure(
                .incomplete, "\(path) is larger than \(longestFile) bytes: name a file of headers")
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        var headers: [(name: String, value: String)] = []
        for (index, line) in lines.enumerated() where !line.isEmpty {
            guard let header = header(line) else {
                throw CommandFailure(
                    .incomplete,
                    "\(path), line \(index + 1): a header is written NAME: VALUE, one a line")
            }
            headers.append(header)
        }
        return headers
    }
}
