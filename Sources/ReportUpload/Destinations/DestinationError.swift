// SPDX-License-Identifier: Apache-2.0

/// A destination cannot be made of what an operator wrote.
public struct DestinationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A sentence that names the part at fault and says what to do. Never repeats what was written:
    /// most of it is secret.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// For a URL among the parts; its reasons repeat nothing either.
    init(_ part: String, _ error: TransportError) {
        guard case .invalidURL(let reason) = error else {
            self.init("\(part) cannot be used: \(error)")
            return
        }
        self.init("\(part) cannot be used: \(reason)")
    }
}
