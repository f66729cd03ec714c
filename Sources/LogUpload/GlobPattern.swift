// SPDX-License-Identifier: Apache-2.0

/// A pattern for the names of files, as shells have them: `*` stands for any bytes, `?` for one
/// character, `[a-z]` and `[!a-z]` for one character of a set, a backslash takes the meaning from
/// what follows. The whole name must match; POSIX.1-2017, Shell & Utilities 2.13.
public struct GlobPattern: Sendable, Equatable {
    /// The pattern as it was written.
    public let text: String
    private let pieces: [Piece]

    private enum Piece: Sendable, Equatable {
        case anything
        case anyCharacter
        case one(of: [ClosedRange<Unicode.Scalar>], isInverted: Bool)
        case character(Unicode.Scalar)
    }

    /// A `[` without its `]` stands for itself.
    public init(_ text: String) {
        self.text = text
        var pieces: [Piece] = []
        var rest = Array(text.unicodeScalars)[...]
        while let first = rest.popFirst() {
            switch first {
            case "*":
                // Two in a row mean no more than one.
                if pieces.last != .anything { pieces.append(.anything) }
            case "?": pieces.append(.anyCharacter)
            case "[": pieces.append(Self.set(&rest) ?? .character(first))
            case "\\": pieces.append(.character(rest.popFirst() ?? first))
            default: pieces.append(.character(first))
            }
        }
        self.pieces = pieces
    }

    /// Takes no longer than the product of both lengths: only the last `*` is ever tried again.
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
                // The `*` takes one letter more.
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

    /// What follows a `[`; nil, and nothing taken, when there is no end to it.
    private static func set(_ rest: inout ArraySlice<Unicode.Scalar>) -> Piece? {
        var inside = rest
        let isInverted = inside.first == "!" || inside.first == "^"
        if isInverted { inside.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var isFirst = true
        while var low = inside.popFirst() {
            // A `]` at the start is one of the set.
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
