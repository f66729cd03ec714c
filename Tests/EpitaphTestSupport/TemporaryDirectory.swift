// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A fresh directory that goes, with all it holds, when the value does.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        var template = Array((NSTemporaryDirectory() + "epitaph-test-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of `name` inside the directory.
    package func path(_ name: String) -> String {
        path + "/" + name
    }

    /// The bytes of a file inside the directory.
    package func contents(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    /// Makes a directory inside the directory.
    package func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: path(name), withIntermediateDirectories: false)
    }

    /// Writes a file inside the directory and returns its path.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }
}
