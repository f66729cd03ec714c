// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// POSIX.1-2017, Shell & Utilities 2.13: `*`, `?`, `[a-z]`, `[!a-z]` and backslash.
    public struct GlobPattern: Sendable, Hashable {
        public let text: String
        private let pieces: [Piece]

        private enum Piece: Sendable, Hashable {
            case anything
            case anyCharacter
            case one(of: [ClosedRange<Unicode.Scalar>], isInverted: Bool)
            case character(Unicode.Scalar)
        }

        /// A `[` without a `]` stands for itself.
        public init(_ text: String) {
            self.text = text
            var pieces: [Piece] = []
            var rest = Array(text.unicodeScalars)[...]
            while let first = rest.popFirst() {
                switch first {
                case "*":
                    // Two in a row mean the same as one.
                    if pieces.last != .anything { pieces.append(.anything) }
                case "?": pieces.append(.anyCharacter)
                case "[": pieces.append(Self.set(&rest) ?? .character(first))
                case "\\": pieces.append(.character(rest.popFirst() ?? first))
                default: pieces.append(.character(first))
                }
            }
            self.pieces = pieces
        }

        /// Takes at most the product of both lengths: only the last `*` is ever retried.
        public func matches(_ name: String) -> Bool {
            let letters = Array(name.unicodeScalars)
            var letter = 0
            var piece = 0
            var retry: (piece: Int, letter: Int)?
            while letter < letters.count {
                if piece < pieces.count, pieces[piece] == .anything {
                    retry = (piece + 1, letter)
                    piece += 1
                } else if piece < pieces.count, Self.matches(pieces[piece], letters[letter]) {
                    piece += 1
                    letter += 1
                } else if let last = retry {
                    // The `*` takes one more character.
                    retry = (last.piece, last.letter + 1)
                    piece = last.piece
                    letter = last.letter + 1
                } else {
                    return false
                }
            }
            return pieces[piece...].allSatisfy { $0 == .anything }
        }

        private static func matches(_ piece: Piece, _ letter: Unicode.Scalar) -> Bool {
            switch piece {
            case .anything, .anyCharacter: true
            case .one(let ranges, let isInverted):
                ranges.contains { $0.contains(letter) } != isInverted
            case .character(let expected): expected == letter
            }
        }

        /// Parses the rest of a set; nil, consuming nothing, if it is unterminated.
        private static func set(_ rest: inout ArraySlice<Unicode.Scalar>) -> Piece? {
            var inside = rest
            let isInverted = inside.first == "!" || inside.first == "^"
            if isInverted { inside.removeFirst() }
            var ranges: [ClosedRange<Unicode.Scalar>] = []
            var isFirst = true
            while var low = inside.popFirst() {
                // A `]` at the start is a member of the set.
                if low == "]", !isFirst {
                    rest = inside
                    return .one(of: ranges, isInverted: isInverted)
                }
                isFirst = false
                if low == "\\", let escaped = inside.popFirst() { low = escaped }
                if inside.first == "-", let high = inside.dropFirst().first, high != "]" {
                    inside.removeFirst(2)
                    if low <= high { ranges.append(low...high) }
                } else {
                    ranges.append(low...low)
                }
            }
            return nil
        }
    }
}
