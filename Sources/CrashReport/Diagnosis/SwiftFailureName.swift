// SPDX-License-Identifier: Apache-2.0

/// The pseudo-function Swift's compiler calls a failed check: `Swift runtime failure: Index out of
/// range`, lib/IRGen/IRGenSIL.cpp of the compiler.
struct SwiftFailureName {
    let name: String
    /// What comes after the prefix.
    let text: String

    private static let prefix = "Swift runtime failure: "

    init?(_ frames: [ReportFrame]) {
        let innermost = frames.prefix { $0.index == frames.first?.index }
        let names = innermost.compactMap { $0.function }
        guard let name = names.first(where: { $0.hasPrefix(Self.prefix) }) else { return nil }
        self.name = name
        text = String(name.dropFirst(Self.prefix.count))
    }
}
