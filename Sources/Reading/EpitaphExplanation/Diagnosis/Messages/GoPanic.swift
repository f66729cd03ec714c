// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding

/// What Go's runtime said before it ended the process: runtime/panic.go, seen in Go 1.19.
enum GoPanic {
    static func diagnosis(_ scene: CrashScene) -> Diagnosis? {
        panic(scene) ?? fatalError(scene)
    }

    /// A panic that nothing recovered. Its value is in the frame of gopanic, where preprintpanics has put
    /// what Error or String returned.
    private static func panic(_ scene: CrashScene) -> Diagnosis? {
        let frames = scene.frames.filter { !$0.isInlined }
        guard let panic = frames.firstIndex(where: { $0.function == "runtime.gopanic" }),
            panic + 1 < frames.count,
            case let words = FrameWords.words(
                of: frames[panic], to: frames[panic + 1], scene.memory),
            let text = text(in: words, scene.memory)
        else { return nil }
        let mark = "runtime error: "
        let said = text.hasPrefix(mark) ? String(text.dropFirst(mark.count)) : text
        let line = said.split(separator: "\n").first.map(String.init) ?? said
        var diagnosis = Diagnosis(kind: .abort, headline: "panicked (Go): \(line)")
        diagnosis.words = FailureWords(sort: "panic", text: said)
        let place = scene.placeInProgram.map { " The panic is in \($0)." } ?? ""
        diagnosis.add(
            "Nothing recovered a panic.\(place)",
            evidence: "The frame of runtime.gopanic has its text.")
        return diagnosis
    }

    /// The text that throw and fatal were given is in their frames, for the function that prints it.
    private static func fatalError(_ scene: CrashScene) -> Diagnosis? {
        let frames = scene.frames.filter { !$0.isInlined }
        guard
            let end = frames.firstIndex(where: {
                ["runtime.throw", "runtime.fatal"].contains($0.function ?? "")
            }), end + 1 < frames.count,
            case let words = FrameWords.words(of: frames[end], to: frames[end + 1], scene.memory),
            let text = FrameWords.slice(in: words, scene.memory)
        else { return nil }
        var diagnosis = Diagnosis(
            kind: .abort, headline: "was stopped by Go's runtime: \(text)",
            "The runtime found what a program cannot recover from.",
            evidence: "The frame of \(frames[end].function ?? "") has its text.")
        diagnosis.words = FailureWords(sort: "fatal error", text: text)
        return diagnosis
    }

    /// An interface's words are a type and an address, here of a string's address and length.
    private static func text(in words: [UInt64], _ memory: ReadableMemory) -> String? {
        for index in words.indices.dropLast() where isString(words[index], memory) {
            guard let address = memory.integer(at: words[index + 1], as: UInt64.self),
                let length = memory.integer(at: words[index + 1] &+ 8, as: UInt64.self), length > 0,
                let text = FrameWords.string(at: address, length, memory)
            else { continue }
            return text
        }
        return nil
    }

    /// internal/abi/type.go: the size comes first; seven bytes before the kind are a hash and marks.
    private static func isString(_ type: UInt64, _ memory: ReadableMemory) -> Bool {
        let (kindOffset, kindMask, stringKind) = (UInt64(23), UInt8(0x1f), UInt8(24))
        return memory.integer(at: type, as: UInt64.self) == 16
            && memory.integer(at: type &+ kindOffset, as: UInt8.self).map { $0 & kindMask }
                == stringKind
    }
}
