// SPDX-License-Identifier: Apache-2.0

/// The reason for the compiler's trap instruction, from debug information.
struct TrapReason {
    /// `Index out of range`
    let text: String
    /// The wording of debug builds, whose standard library reports the same failures as messages.
    var sort: String { Self.inDebugBuilds[text] ?? text }
    /// False for C and C++, which have `__builtin_verbose_trap`.
    let isSwift: Bool

    private static let inDebugBuilds = [
        "precondition failure": "precondition failed", "Unconditional cast failed": "failed cast",
    ]

    /// Pseudo-function that Swift's compiler inlines at a failed check: lib/IRGen/IRGenSIL.cpp.
    private static let swiftPrefix = "Swift runtime failure: "

    init?(_ frames: [ReportFrame]) {
        // Inlined calls share the index of the frame that contains them.
        let innermost = frames.prefix { $0.index == frames.first?.index }
        if let name = innermost.first?.function, name.hasPrefix(Self.swiftPrefix) {
            text = String(name.dropFirst(Self.swiftPrefix.count))
            isSwift = true
        } else if let reason = innermost.first?.runtimeFailure {
            text = reason
            // Only what Swift specialises of its library has no file of the program's.
            let files = innermost.compactMap(\.source?.file)
            isSwift = files.isEmpty || files.contains { $0.hasSuffix(".swift") }
        } else {
            return nil
        }
    }
}
