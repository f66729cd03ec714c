// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// A table of a server: `clickhouse:http://HOST:8123/DATABASE.TABLE`, perhaps with
/// `USER:PASSWORD@`. Its description has only server and table.
package struct ClickHouseLocation: Sendable, Equatable {
    /// The server, with user name and password.
    package let url: UploadURL
    /// Nil for the user's default.
    package let database: String?
    package let table: String

    private static let prefix = "clickhouse:"

    /// - Parameter text: with or without `clickhouse:`.
    package init(_ text: String) throws(FleetError) {
        let rest = text.hasPrefix(Self.prefix) ? text.dropFirst(Self.prefix.count) : text[...]
        guard let start = rest.firstRange(of: "://")?.upperBound,
            let slash = rest[start...].lastIndex(of: "/")
        else { throw .invalidLocation(reason: "there is no http:// or https://, or no table") }
        guard !rest.contains("?"), !rest.contains("#") else {
            throw .invalidLocation(reason: "it can have no parameters")
        }
        let names = rest[rest.index(after: slash)...].split(
            separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(names.count), names.allSatisfy(Self.isName), let last = names.last
        else {
            throw .invalidLocation(
                reason:
                    "behind the last slash are TABLE or DATABASE.TABLE, of letters, digits and _")
        }
        table = String(last)
        database = names.count == 2 ? String(names[0]) : nil
        do throws(TransportError) {
            url = try UploadURL(String(rest[...slash]))
        } catch .invalidURL(let reason) {
            throw .invalidLocation(reason: reason)
        } catch {
            throw .invalidLocation(reason: "\(error)")
        }
    }

    package init(_ table: String, beside other: ClickHouseLocation) {
        url = other.url
        database = other.database
        self.table = table
    }

    /// For a statement; needs no quotes.
    package var qualifiedTable: String {
        (database.map { $0 + "." } ?? "") + table
    }

    private static func isName(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
    }
}

extension ClickHouseLocation: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// `table fleet.crashes of http://host:8123`
    package var description: String { "table \(qualifiedTable) of \(url.server)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}
