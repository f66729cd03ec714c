// SPDX-License-Identifier: Apache-2.0

/// Passwords, tokens and keys of a request, which must not be shown in a log, a list or the
/// server's answer, nor by printing this value.
package struct Secrets: Sendable, Equatable {
    private let texts: [[UInt8]]

    /// Shorter ones would match in ordinary words.
    private static let shortestBytes = 4
    private static let mark = Array("[hidden]".utf8)

    package init(_ texts: [String] = []) {
        // The longest first, because a token may contain another one.
        self.texts = Set(texts.map { Array($0.utf8) }.filter { $0.count >= Self.shortestBytes })
            .sorted { $0.count > $1.count }
    }

    package func hidden(in bytes: [UInt8]) -> [UInt8] {
        guard !texts.isEmpty else { return bytes }
        var shown: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.first {
            if let secret = texts.first(where: { rest.starts(with: $0) }) {
                shown += Self.mark
                rest = rest.dropFirst(secret.count)
            } else {
                shown.append(byte)
                rest = rest.dropFirst()
            }
        }
        return shown
    }

    package func hidden(in text: String) -> String {
        String(decoding: hidden(in: Array(text.utf8)), as: UTF8.self)
    }

    package func with(_ more: [String]) -> Secrets {
        Secrets(texts.map { String(decoding: $0, as: UTF8.self) } + more)
    }
}

extension Secrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(texts.count) hidden" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["count": texts.count]) }
}
