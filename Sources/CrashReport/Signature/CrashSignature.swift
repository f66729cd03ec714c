// SPDX-License-Identifier: Apache-2.0

/// What crashes of one cause have in common: the same for every run of one program, whatever its
/// addresses, and across builds as long as the functions keep their names.
public struct CrashSignature: Sendable, Hashable {
    /// For people: `SIGSEGV parse(_:) | handle(_:)`.
    public var text: String
    /// For machines: 16 hexadecimal digits made from `text`.
    public var identifier: String

    static let frameCount = 4

    /// - Parameter frames: of the crashing thread, innermost first.
    public init(kind: Diagnosis.Kind, frames: [ReportFrame]) {
        let names = frames.prefix(Self.frameCount).map { frame in
            frame.function ?? frame.place.map { "\($0.moduleName)+\($0.offset.hex)" } ?? "?"
        }
        text = ([kind.rawValue] + [names.joined(separator: " | ")]).joined(separator: " ")
        identifier = Self.hash(text)
    }

    /// FNV-1a with 64 bits: the same on every machine and in every version, which Swift's own
    /// hashing is not.
    private static func hash(_ text: String) -> String {
        let digits = String(
            text.utf8.reduce(14_695_981_039_346_656_037 as UInt64) {
                ($0 ^ UInt64($1)) &* 1_099_511_628_211
            }, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
