// SPDX-License-Identifier: Apache-2.0

/// Why the compiler put a trap instruction there, as recorded in the debug information.
struct TrapReason {
    /// `Index out of range`
    let text: String
    /// The text of debug builds, whose standard library reports the same failures as messages.
    var sort: String { Self.inDebugBuilds[text] ?? text }
    /// Whether the trap is from Swift's compiler; C and C++ have `__builtin_verbose_trap`.
    let isSwift: Bool

    private static let inDebugBuilds = [
        "precondition failure": "precondition failed", "Unconditional cast failed": "failed cast",
    ]

    /// The pseudo-function that Swift's compiler inlines where a check fails: lib/IRGen/IRGenSIL.cpp
    /// of the compiler.
    private static let swiftPrefix = "Swift runtime failure: "

    /// - Parameter frames: of the crashing thread, innermost first.
    init?(_ frames: [ReportFrame]) {
        // Inlined calls have the same index as the frame that contains them.
        let innermost = frames.prefix { $0.index == frames.first?.index }
        if let name = innermost.first?.function, name.hasPrefix(Self.swiftPrefix) {
            text = String(name.dropFirst(Self.swiftPrefix.count))
            isSwift = true
        } else if let reason = innermost.first?.runtimeFailure {
            text = reason
            isSwift = innermost.contains { $0.source?.file.hasSuffix(".swift") == true }
        } else {
            return nil
        }
    }
}
