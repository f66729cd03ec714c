// SPDX-License-Identifier: Apache-2.0

/// The handler's command line from the kernel: core(5), `%P %u %g %s %t %e %h %d %c`.
package struct CoreArguments: Sendable, Equatable {
    package var processID: Int32
    /// `%u`, the real user, in the initial user namespace.
    package var userID: UInt32
    package var groupID: UInt32
    package var signal: Int32
    /// `%t`, seconds since 1970-01-01 00:00 UTC.
    package var timeSeconds: Int64
    /// `%e`, at most 15 bytes, with `!` for `/`; nil if missing.
    package var name: String?
    /// `%h`; nil if missing.
    package var host: String?
    /// `%d`, PR_SET_DUMPABLE(2const); nil if unknown.
    package var dumpMode: Int?
    /// `%c`, RLIMIT_CORE in bytes; nil if unknown.
    package var coreLimit: UInt64?

    /// Why a command line is not the kernel's, as a clause.
    package struct Problem: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    private static let names = ["%P", "%u", "%g", "%s", "%t", "%e", "%h", "%d", "%c"]

    /// The last words may be missing. Kernels before 5.3 split the line after filling it in: a name
    /// with blanks becomes several words, and those behind it count as unknown.
    package init(_ words: [String]) throws(Problem) {
        guard words.count >= 5 else {
            let missing = Self.names[words.count..<5].joined(separator: " ")
            throw Problem(
                description: "the line of kernel.core_pattern lacks \(missing); it is to end with "
                    + Self.names.joined(separator: " "))
        }
        processID = try Self.number(words[0], "%P", 1...Int32.max)
        userID = try Self.number(words[1], "%u", 0...UInt32.max)
        groupID = try Self.number(words[2], "%g", 0...UInt32.max)
        signal = try Self.number(words[3], "%s", 1...64)
        timeSeconds = try Self.number(words[4], "%t", 0...Int64(1) << 40)
        guard words.count <= Self.names.count else { return }
        let rest = Array(words.dropFirst(5))
        name = rest.first.flatMap { $0.isEmpty ? nil : $0 }
        host = rest.dropFirst().first
        dumpMode = rest.dropFirst(2).first.flatMap { Int($0) }
        coreLimit = rest.dropFirst(3).first.flatMap { UInt64($0) }
    }

    private static func number<Value: FixedWidthInteger>(
        _ word: String, _ name: String, _ range: ClosedRange<Value>
    ) throws(Problem) -> Value {
        guard let value = Value(word), range.contains(value) else {
            throw Problem(description: "\(name) is \"\(word)\", not a number in its range")
        }
        return value
    }

    /// The user, if the kernel would give that user a core file. Otherwise, and if that is unknown,
    /// root: the process had rights or secrets that the user lacks, as a set-user-ID program has.
    package var ownerID: UInt32 { dumpMode == 1 ? userID : 0 }

    package func filled(in word: String) -> String {
        var text = ""
        var rest = word[...]
        while let letter = rest.popFirst() {
            guard letter == "%", let kind = rest.popFirst() else {
                text.append(letter)
                continue
            }
            text += value(of: kind) ?? "%\(kind)"
        }
        return text
    }

    private func value(of kind: Character) -> String? {
        switch kind {
        case "%": "%"
        case "P", "p", "I", "i": "\(processID)"
        case "u": "\(userID)"
        case "g": "\(groupID)"
        case "s": "\(signal)"
        case "t": "\(timeSeconds)"
        case "e": name ?? ""
        case "h": host ?? ""
        case "d": dumpMode.map { "\($0)" } ?? ""
        case "c": coreLimit.map { "\($0)" } ?? "\(UInt64.max)"
        default: nil
        }
    }
}
