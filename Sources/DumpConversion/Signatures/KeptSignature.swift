// SPDX-License-Identifier: Apache-2.0

import CrashReport

/// A report's signature as it is kept beside it.
public struct KeptSignature: Sendable, Equatable {
    /// As those of `CrashSignature`.
    public var text: String
    public var identifier: String
    /// Whether all functions of the innermost frames had names.
    public var isComplete: Bool

    public init(text: String, identifier: String, isComplete: Bool) {
        self.text = text
        self.identifier = identifier
        self.isComplete = isComplete
    }

    /// Nil where there was no crash.
    public init?(_ explanation: CrashExplanation) {
        guard let signature = explanation.signature else { return nil }
        let frames = explanation.crashingThread?.stack?.frames.prefix(8) ?? []
        self.init(
            text: signature.text, identifier: signature.identifier,
            isComplete: frames.allSatisfy { $0.function != nil })
    }
}
