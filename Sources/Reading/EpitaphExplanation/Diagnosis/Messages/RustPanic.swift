// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding

/// A Rust panic that ends the process: text and location are in the frames of the standard library,
/// library/std/src/panicking.rs. Found by their shape, seen in Rust 1.95.
struct RustPanic {
    /// Nil if it is not in the dump.
    let text: String?
    let location: ReportFrame.Source?
    /// In a program without symbols, the frame whose code names the location.
    private let namelessFrame: ReportFrame?

    /// The function that calls the panic hook has the location; its caller has the text, as
    /// `StaticStrPayload`, or formatted in `FormatStringPayload`.
    init?(_ scene: CrashScene) {
        let frames = scene.frames.filter { !$0.isInlined }
        let named = frames.firstIndex {
            $0.function?.has("panicking::") == true
                && $0.function?.has("panic_with_hook") == true
        }
        let nameless = named == nil ? NamelessPanic(frames, scene) : nil
        guard let hook = named ?? nameless?.hook, frames.count > hook + 2 else { return nil }
        let words = (hook..<hook + 2).map {
            FrameWords.words(of: frames[$0], to: frames[$0 + 1], scene.memory)
        }
        namelessFrame = nameless.map { frames[$0.caller] }
        if let nameless {
            location = nameless.location
        } else {
            let locations = words[0].compactMap { Self.location($0, scene.memory) }
                .filter { !$0.file.hasSuffix(Self.checks) }
            // The frame may have the locations of earlier calls too: the stack tells which it was.
            location =
                Set(locations).count == 1
                ? locations[0]
                : locations.first { Self.frame(at: $0, scene) != nil }
        }
        text = Self.text(in: words[1], scene.memory)
        if text == nil, location == nil { return nil }
    }

    /// Without symbols: code of the program loads a location's address before a call, and what it calls
    /// has that address on its stack. No fewer functions are between that code, the hook's caller and
    /// abort(3): std does not let them be inlined.
    private struct NamelessPanic {
        let hook: Int
        let caller: Int
        let location: ReportFrame.Source

        init?(_ frames: [ReportFrame], _ scene: CrashScene) {
            let start = NoiseFrames.leadingCount(frames)
            guard scene.snapshot.architecture == .x86_64, start < frames.count,
                let module = frames[start].place?.moduleIndex
            else { return nil }
            let nameless = frames[start...].prefix {
                $0.function == nil && $0.place?.moduleIndex == module && !$0.isScanned
            }
            for caller in nameless.indices.dropFirst(5).prefix(Self.mostCallees) {
                for address in Self.loadedAddresses(before: frames[caller].address, scene.memory) {
                    guard let location = RustPanic.location(address, scene.memory),
                        let hook = (start + 2...caller - 3).first(where: {
                            FrameWords.words(of: frames[$0], to: frames[$0 + 1], scene.memory)
                                .contains(address)
                        })
                    else { continue }
                    (self.hook, self.caller, self.location) = (hook, caller, location)
                    return
                }
            }
            return nil
        }

        private static let mostCallees = 16
        private static let mostCode = 64

        /// `lea register, [rip + distance]`: Intel SDM 2A, LEA, with REX.W and maybe REX.R.
        private static func loadedAddresses(
            before end: UInt64, _ memory: ReadableMemory
        ) -> [UInt64] {
            let start = end &- UInt64(mostCode)
            let code = memory.bytes(at: start, atMost: mostCode)
            guard code.count == mostCode else { return [] }
            return (0..<mostCode - 7).reversed().compactMap { index in
                guard code[index] & 0xfb == 0x48, code[index + 1] == 0x8d,
                    code[index + 2] & 0xc7 == 0x05
                else { return nil }
                let distance = (0..<4).reduce(UInt32(0)) {
                    $0 | UInt32(code[index + 3 + $1]) << (8 * $1)
                }
                return start &+ UInt64(index + 7)
                    &+ UInt64(bitPattern: Int64(Int32(bitPattern: distance)))
            }
        }
    }

    /// With #[track_caller] the location is that of a function further out.
    private static func frame(
        at location: ReportFrame.Source, _ scene: CrashScene
    ) -> ReportFrame? {
        scene.frames.first { frame in
            guard let source = frame.source, source.line == location.line else { return false }
            return source.file == location.file || source.file.hasSuffix("/" + location.file)
        }
    }

    /// The function that has the location. Nil if the frames have lines, and none has this one.
    private func function(_ scene: CrashScene) -> String? {
        if let namelessFrame { return namelessFrame.shortPlace }
        guard let location, scene.frames.contains(where: { $0.source != nil }) else {
            return scene.placeInProgram
        }
        return Self.frame(at: location, scene)?.shortPlace
    }

    /// The place of panics that do not unwind, whoever began them.
    private static let checks = "/library/core/src/panicking.rs"

    /// `core::panic::Location`: a file name's address and length, line, column.
    private static func location(
        _ address: UInt64, _ memory: ReadableMemory
    ) -> ReportFrame.Source? {
        guard let name = memory.integer(at: address, as: UInt64.self),
            let length = memory.integer(at: address &+ 8, as: UInt64.self), 3...4096 ~= length,
            let line = memory.integer(at: address &+ 16, as: UInt32.self), 1..<1_000_000 ~= line,
            let column = memory.integer(at: address &+ 20, as: UInt32.self), 1..<100_000 ~= column,
            let file = FrameWords.string(at: name, length, memory), file.utf8.count == Int(length),
            file.hasSuffix(".rs")
        else { return nil }
        return .init(file: file, line: Int(line), column: Int(column))
    }

    /// `String` is capacity, address and length; `&str` is address and length.
    static func text(in words: [UInt64], _ memory: ReadableMemory) -> String? {
        let strings = words.indices.dropLast(2).lazy.compactMap { index -> String? in
            let (capacity, length) = (words[index], words[index + 2])
            guard length > 0, length <= capacity, capacity < 1 << 32 else { return nil }
            return FrameWords.string(at: words[index + 1], length, memory)
        }
        return strings.first ?? FrameWords.slice(in: words, memory)
    }

    func diagnosis(_ scene: CrashScene) -> Diagnosis {
        let line = text.flatMap { $0.split(separator: "\n").first.map(String.init) }
        let place = location.map { "\($0.file):\($0.line ?? 0):\($0.column ?? 0)" }
        var diagnosis = Diagnosis(
            kind: .abort, headline: "panicked (Rust)" + (line.map { ": \($0)" } ?? ""))
        diagnosis.words = FailureWords(sort: "panic", text: text)
        diagnosis.words?.source = location
        diagnosis.words?.frame = namelessFrame?.index
        diagnosis.add(
            "The panic is" + (place.map { " at \($0)" } ?? "")
                + (function(scene).map { (place == nil ? "" : ",") + " in \($0)" } ?? "") + ".",
            evidence: namelessFrame == nil
                ? "Words of that shape are in the frames of Rust's standard library."
                : "The code there names the place, and so do the frames of what it called, which "
                    + "ended in abort().")
        if let earlier = EarlierPanic.finding(scene) { diagnosis.findings.append(earlier) }
        return diagnosis
    }
}
