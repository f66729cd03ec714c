// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// A regular expression that is looked for anywhere in a text, a character at a time in all its
    /// states at once (Thompson, Communications of the ACM 11, 1968): none takes longer than the
    /// product of both lengths.
    ///
    /// It has `.`, `[a-z]`, `[^a-z]`, `\d`, `\w`, `\s`, `\D`, `\W`, `\S`, `\t`, `\n`, `\r`, `^`,
    /// `$`, groups, `|`, `*`, `+`, `?` and `{2,5}`; a `(?i)` at the start ignores the case of ASCII
    /// letters. It has no references to groups, no looks around, and no `\b`.
    public struct RegularExpression: Sendable, Equatable {
        public let text: String
        private let program: Program

        /// - Throws: `SettingError` if it is not one, or has more than 2,000 states.
        public init(_ text: String) throws(SettingError) {
            self.text = text
            var parser = Parser(text)
            program = try rethrowing(parser.program()) { (error: SettingError) in
                SettingError("\"\(text.prefix(40))\" is not a regular expression: \(error.reason)")
            }
        }

        public func matches(_ text: String) -> Bool {
            program.matches(Array(text.unicodeScalars))
        }
    }
}

private typealias Program = Epitaph.RegularExpression.Program

extension Epitaph.RegularExpression {
    fileprivate struct Characters: Sendable, Equatable {
        var ranges: [ClosedRange<Unicode.Scalar>]
        var isInverted = false

        func contains(_ character: Unicode.Scalar) -> Bool {
            ranges.contains { $0.contains(character) } != isInverted
        }
    }

    fileprivate enum State: Sendable, Equatable {
        case match
        case one(Characters, next: Int)
        case any([Int])
        case start(next: Int)
        case end(next: Int)
    }

    fileprivate struct Program: Sendable, Equatable {
        var states: [State]
        var first = 0
        var ignoresCase = false

        func matches(_ text: [Unicode.Scalar]) -> Bool {
            var seen = [Int](repeating: -1, count: states.count)
            var next: [Int] = []
            for place in 0...text.count {
                var (waiting, present) = (next + [first], [(Characters, Int)]())
                while let index = waiting.popLast() {
                    guard seen[index] != place else { continue }
                    seen[index] = place
                    switch states[index] {
                    case .match: return true
                    case .one(let characters, let next): present.append((characters, next))
                    case .any(let ways): waiting += ways
                    case .start(let next): if place == 0 { waiting.append(next) }
                    case .end(let next): if place == text.count { waiting.append(next) }
                    }
                }
                guard place < text.count else { break }
                let forms = forms(of: text[place])
                next = present.filter { one in forms.contains { one.0.contains($0) } }.map(\.1)
            }
            return false
        }

        private func forms(of character: Unicode.Scalar) -> [Unicode.Scalar] {
            guard ignoresCase, character.isASCII, character.properties.isAlphabetic else {
                return [character]
            }
            return [character, Unicode.Scalar(UInt8(character.value) ^ 0x20)]
        }
    }

    fileprivate indirect enum Node {
        case one(Characters)
        case start
        case end
        case sequence([Node])
        case choice([Node])
        case repeated(Node, least: Int, most: Int?)
    }

    fileprivate struct Parser {
        private var rest: ArraySlice<Unicode.Scalar>
        private var states = [State.match]
        private var steps = 0
        private static let stateLimit = 2_000
        private static let repeatLimit = 1_000

        init(_ text: String) { rest = Array(text.unicodeScalars)[...] }

        mutating func program() throws(SettingError) -> Program {
            let ignoresCase = take("(?i)")
            let node = try choice()
            guard rest.isEmpty else { throw SettingError("a parenthesis is closed too often") }
            let first = try compile(node, next: 0)
            return Program(states: states, first: first, ignoresCase: ignoresCase)
        }

        // MARK: The text becomes a tree

        private mutating func take(_ text: String) -> Bool {
            guard rest.starts(with: text.unicodeScalars) else { return false }
            rest = rest.dropFirst(text.unicodeScalars.count)
            return true
        }

        private mutating func choice() throws(SettingError) -> Node {
            var ways = [try sequence()]
            while take("|") { ways.append(try sequence()) }
            return .choice(ways)
        }

        private mutating func sequence() throws(SettingError) -> Node {
            var nodes: [Node] = []
            while let character = rest.first, character != "|", character != ")" {
                nodes.append(try repeated(try atom()))
            }
            return .sequence(nodes)
        }

        private mutating func repeated(_ node: Node) throws(SettingError) -> Node {
            let node: Node =
                if take("*") { .repeated(node, least: 0, most: nil) } else if take("+") {
                    .repeated(node, least: 1, most: nil)
                } else if take("?") { .repeated(node, least: 0, most: 1) } else if take("{") {
                    try counted(node)
                } else { node }
            // Shortest first: the same for whether there is a match.
            if case .repeated = node { _ = take("?") }
            return node
        }

        private mutating func counted(_ node: Node) throws(SettingError) -> Node {
            let least = number()
            let most = take(",") ? number() : least
            guard let least, take("}"), least <= most ?? least,
                max(least, most ?? 0) <= Self.repeatLimit
            else { throw SettingError("a { is not followed by numbers up to 1,000 and a }") }
            return .repeated(node, least: least, most: most)
        }

        private mutating func number() -> Int? {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest = rest.dropFirst(digits.count)
            return Int(String(String.UnicodeScalarView(digits)))
        }

        private mutating func atom() throws(SettingError) -> Node {
            guard let character = rest.popFirst() else { return .sequence([]) }
            switch character {
            case "^": return .start
            case "$": return .end
            case ".": return .one(Characters(ranges: ["\n"..."\n"], isInverted: true))
            case "[": return .one(try set())
            case "\\": return .one(try escaped())
            case "(":
                if take("?"), !take(":") { throw SettingError("of (? there is only (?:") }
                let inside = try choice()
                guard take(")") else { throw SettingError("a parenthesis is not closed") }
                return inside
            case "*", "+", "?", "{": throw SettingError("there is nothing that could be repeated")
            default: return .one(Characters(ranges: [character...character]))
            }
        }

        private mutating func escaped() throws(SettingError) -> Characters {
            guard let character = rest.popFirst() else { throw SettingError("it ends with a \\") }
            let isInverted = ("A"..."Z").contains(character)
            switch character {
            case "d", "D": return Characters(ranges: ["0"..."9"], isInverted: isInverted)
            case "s", "S":
                return Characters(ranges: [" "..." ", "\t"..."\r"], isInverted: isInverted)
            case "w", "W":
                return Characters(
                    ranges: ["a"..."z", "A"..."Z", "0"..."9", "_"..."_"], isInverted: isInverted)
            case "t": return Characters(ranges: ["\t"..."\t"])
            case "n": return Characters(ranges: ["\n"..."\n"])
            case "r": return Characters(ranges: ["\r"..."\r"])
            case "a"..."z", "A"..."Z", "0"..."9": throw SettingError("\\\(character) is unknown")
            default: return Characters(ranges: [character...character])
            }
        }

        private mutating func set() throws(SettingError) -> Characters {
            var set = Characters(ranges: [], isInverted: take("^"))
            var isFirst = true
            while let low = rest.popFirst() {
                if low == "]", !isFirst { return set }
                isFirst = false
                if low == "\\" {
                    let inside = try escaped()
                    guard !inside.isInverted else {
                        throw SettingError("a set cannot have \\D, \\S or \\W")
                    }
                    set.ranges += inside.ranges
                } else if rest.first == "-", let high = rest.dropFirst().first, high != "]" {
                    guard low <= high, high != "\\" else {
                        throw SettingError("a range of a set ends before it begins")
                    }
                    rest = rest.dropFirst(2)
                    set.ranges.append(low...high)
                } else {
                    set.ranges.append(low...low)
                }
            }
            throw SettingError("a [ is not closed")
        }

        // MARK: The tree becomes states, from the end to the start

        private mutating func add(_ state: State) -> Int {
            states.append(state)
            return states.count - 1
        }

        private mutating func compile(_ node: Node, next: Int) throws(SettingError) -> Int {
            steps += 1
            guard steps <= 2 * Self.stateLimit, states.count <= Self.stateLimit else {
                throw SettingError("it has more than \(Self.stateLimit) states")
            }
            switch node {
            case .one(let characters): return add(.one(characters, next: next))
            case .start: return add(.start(next: next))
            case .end: return add(.end(next: next))
            case .sequence(let nodes):
                var next = next
                for node in nodes.reversed() { next = try compile(node, next: next) }
                return next
            case .choice(let nodes):
                guard nodes.count > 1 else { return try compile(nodes[0], next: next) }
                var ways: [Int] = []
                for node in nodes { ways.append(try compile(node, next: next)) }
                return add(.any(ways))
            case .repeated(let node, let least, let most):
                var entry = next
                if let most {
                    for _ in least..<most {
                        entry = add(.any([try compile(node, next: entry), next]))
                    }
                } else {
                    entry = add(.any([]))
                    states[entry] = .any([try compile(node, next: entry), next])
                }
                for _ in 0..<least { entry = try compile(node, next: entry) }
                return entry
            }
        }
    }
}
