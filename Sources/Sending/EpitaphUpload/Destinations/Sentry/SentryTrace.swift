// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// One stack in Sentry's form, with its names: "Stack Trace Interface",
/// develop.sentry.dev/sdk/foundations.
struct SentryTrace: Encodable {
    /// The outermost first; a function that was inlined follows the one it was inlined into.
    let frames: [Frame]
    let registers: [String: String]?

    struct Frame: Encodable {
        /// Not for inlined calls, in whose places a server with symbols would repeat all.
        var instruction_addr: String?
        var package: String?
        var function: String?
        var raw_function: String?
        var filename: String?
        var abs_path: String?
        var lineno: Int?
        var colno: Int?
        var in_app = false
        var trust: String?
        /// The outermost frame of the thread itself; the functions that await it follow outside.
        var stack_start: Bool?
    }

    struct Maker {
        private let kept: KeptStacks
        private let modules: [ModuleSnapshot]
        private let places: [UInt64: KeptStacks.Place]

        init(_ kept: KeptStacks, _ modules: [ModuleSnapshot]) {
            self.kept = kept
            self.modules = modules
            places = Dictionary(kept.places.map { ($0.lookupAddress, $0) }) { first, _ in first }
        }

        /// Sentry cuts longer stacks: SENTRY_MAX_STACKTRACE_FRAMES.
        private static let frameLimit = 250

        /// Nil without frames. `room` is in bytes; what the trace takes is subtracted.
        func trace(
            of stack: KeptStacks.Stack, _ registers: RegisterSnapshot?, _ room: inout Int
        ) -> SentryTrace? {
            let all = kept.frames(of: stack).map(\.frame)
            let awaiting = all.filter { $0.foundBy == "asyncContext" }
            // Behind a word that may be no caller nothing is certain but who awaits.
            let called = all.filter { $0.foundBy != "asyncContext" }
                .prefix { $0.foundBy != "stackGuess" }
            var frames = called.prefix(Self.frameLimit).flatMap(frames)
            if !awaiting.isEmpty, !frames.isEmpty { frames[frames.count - 1].stack_start = true }
            frames += awaiting.flatMap(self.frames)
            let fitting = frames.prefix(Self.frameLimit).prefix { frame in
                room -= frame.byteCount
                return room > 0
            }
            guard !fitting.isEmpty else { return nil }
            return SentryTrace(
                frames: fitting.reversed(),
                registers: registers.map { registers in
                    Dictionary(registers.named.map { ($0.name, $0.value.hex) }) { one, _ in one }
                })
        }

        private func frames(_ frame: KeptStacks.Frame) -> [Frame] {
            let module = modules.first { $0.addressRange.contains(frame.lookupAddress) }
            let calls = places[frame.lookupAddress].map { Array(kept.calls(of: $0)) } ?? []
            var frames = (calls.isEmpty ? [KeptStacks.Call()] : calls).map { call in
                Frame(
                    package: module?.path, function: call.function,
                    raw_function: call.linkageName,
                    filename: call.file.map(ModuleSnapshot.fileName), abs_path: call.file,
                    lineno: call.line, colno: call.column,
                    in_app: module.map { !$0.isOfSystem } ?? false
                        && call.function?.hasPrefix("epitaph_") != true,
                    trust: Self.trust(frame.foundBy))
            }
            frames[frames.count - 1].instruction_addr = frame.instructionPointer.hex
            // Sentry has no sign for a gap.
            return frame.omission == nil ? frames : [Frame(function: "(frames missing)")] + frames
        }

        private static func trust(_ foundBy: String) -> String? {
            switch foundBy {
            case "registers", "signalContext": "context"
            case "unwindTable", "returnAddress": "cfi"
            case "calledFrame", "framePointer": "fp"
            case "stackScan": "scan"
            default: nil
            }
        }
    }
}

extension SentryTrace.Frame {
    fileprivate var byteCount: Int {
        let texts = [package, function, raw_function, filename, abs_path]
        return 200 + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}
