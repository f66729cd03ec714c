// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The stack of a report as text, one line for each call, as it was found when the report was made.
enum OTLPStack {
    private static let frameLimit = 256

    static func text(of snapshot: ProcessSnapshot) -> String? {
        guard let kept = snapshot.keptStacks else { return nil }
        let threadID = snapshot.exception?.threadID ?? snapshot.request?.subjectThreadID
        guard
            let stack = kept.stacks.first(where: \.isOfCrash)
                ?? kept.stacks.first(where: { $0.threadID == threadID })
        else { return nil }
        let places = Dictionary(
            kept.places.map { ($0.lookupAddress, $0) }, uniquingKeysWith: { first, _ in first })
        let frames = kept.frames(of: stack).map(\.frame)
        var lines: [String] = []
        for (index, frame) in frames.prefix(frameLimit).enumerated() {
            let calls = places[frame.lookupAddress].map { kept.calls(of: $0) } ?? []
            let place = place(of: frame, in: snapshot)
            let texts = calls.isEmpty ? [place] : calls.map { text(of: $0, else: place) }
            // The raw values of the ways in which a frame may be left over from an earlier call.
            let isSure = !["stackScan", "stackGuess"].contains(frame.foundBy)
            lines += texts.map { "#\(index) \($0)\(isSure ? "" : " (possible)")" }
        }
        if frames.count > frameLimit { lines.append("… \(frames.count - frameLimit) more") }
        if let reason = stack.whyIncomplete { lines.append("(incomplete: \(reason))") }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    private static func text(of call: KeptStacks.Call, else place: String) -> String {
        guard let function = call.function else { return place }
        guard let file = call.file else { return "\(function) in \(place)" }
        return "\(function) at \(file)" + (call.line.map { ":\($0)" } ?? "")
            + (call.isInlined ? ", inlined" : "")
    }

    /// `libc.so.6+0x2724a`, or the address outside of all modules.
    private static func place(of frame: KeptStacks.Frame, in snapshot: ProcessSnapshot) -> String {
        let address = frame.instructionPointer
        guard
            let module = snapshot.modules.first(where: {
                $0.addressRange.contains(frame.lookupAddress)
            })
        else { return "0x" + String(address, radix: 16) }
        let name = module.path.lastPathComponent
        let offset = address &- module.addressRange.lowerBound
        return "\(name)+0x\(String(offset, radix: 16))"
    }
}
