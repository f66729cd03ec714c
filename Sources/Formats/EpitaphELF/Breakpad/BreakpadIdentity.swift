// SPDX-License-Identifier: Apache-2.0

/// Breakpad's identifiers of a module: docs/symbol_files.md of google/breakpad.
package struct BreakpadIdentity: Sendable, Equatable {
    /// The first 16 bytes of the build id as a GUID, little-endian fields, and an age of 0.
    package let debugID: String
    package let codeID: String

    /// Pads a build id of fewer than 16 bytes with zeros.
    package init(buildID: [UInt8]) {
        codeID = Self.digits(buildID)
        let bytes = Array((buildID + Array(repeating: 0, count: 16)).prefix(16))
        let order = [3, 2, 1, 0, 5, 4, 7, 6] + Array(8..<16)
        debugID = Self.digits(order.map { bytes[$0] }) + "0"
    }

    /// Where readers look for the file: `NAME/ID/NAME.sym` below a directory.
    package func path(ofModule name: String) -> (directories: [String], file: String) {
        ([name, debugID], name + ".sym")
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        let digits = Array<Character>("0123456789ABCDEF")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
