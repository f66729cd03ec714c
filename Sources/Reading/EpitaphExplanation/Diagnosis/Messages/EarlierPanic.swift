// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding

/// Rust's last panic may only say that an earlier one could not unwind the stack: panic_in_cleanup and
/// panic_cannot_unwind of library/core/src/panicking.rs. The functions of the earlier one have returned.
enum EarlierPanic {
    static func finding(_ scene: CrashScene) -> Diagnosis.Finding? {
        let frames = scene.frames.filter { !$0.isInlined }
        for (name, words) in ends {
            let end = frames.firstIndex {
                $0.function.map { FunctionName.normalized($0) == "core::panicking::\(name)" }
                    ?? false
            }
            guard let end, frames.count > end + 2 else { continue }
            let unwound = frames[end + 1]
            let calls = scene.frames.first { $0.index == unwound.index }
            guard let place = calls?.shortPlace else { return nil }
            let text = FrameWords.words(of: unwound, to: frames[end + 2], scene.memory).lazy
                .compactMap { thrownText($0, scene.memory) }.first
            return .init(
                words(place)
                    + (text.map { " The earlier panic: \($0)." }
                        ?? " The message of the earlier one is not in the dump."),
                evidence: "\(place) called \(name)"
                    + (text == nil ? "." : ", and its frame has the panic that unwound it."))
        }
        return nil
    }

    private static let ends: [(name: String, words: @Sendable (_ place: String) -> String)] = [
        (
            "panic_in_cleanup",
            { "A destructor panicked while \($0) was unwound for an earlier panic or exception." }
        ),
        (
            "panic_cannot_unwind",
            { "A panic or exception was about to leave \($0), which cannot be unwound." }
        ),
    ]

    /// library/panic_unwind/src/gcc.rs: `_Unwind_Exception` with the class and four words, a canary, and
    /// the box of a String or &str.
    private static func thrownText(_ address: UInt64, _ memory: ReadableMemory) -> String? {
        guard memory.bytes(at: address, atMost: 8) == Array("MOZ\0RUST".utf8),
            let box = memory.integer(at: address &+ 40, as: UInt64.self)
        else { return nil }
        let words = (0..<3).compactMap { memory.integer(at: box &+ 8 * $0, as: UInt64.self) }
        return RustPanic.text(in: words, memory)
    }
}
