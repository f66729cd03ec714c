// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

extension CrashRecord {
    /// The innermost frames are kept; a recursion has many thousands.
    package static let frameLimit = 256
    /// Bytes of a function's name or an annotation's value.
    static let textLimit = 20_480
    private static let annotationLimit = 1_024

    /// - Parameters:
    ///   - contents: the file. A report without an id gets one derived from these bytes, so that
    ///     the same file always has the same.
    ///   - arrived: when the file came into being where it is now; nil if that is unknown.
    package init(
        _ explanation: CrashExplanation, contents: ByteSlice, arrived: Timestamp? = nil
    ) {
        let snapshot = explanation.snapshot
        let time = snapshot.process.snapshotTime ?? snapshot.launch?.time
        self.init(
            id: snapshot.launch?.uuid ?? Self.id(madeOf: contents),
            time: time ?? snapshot.process.startTime ?? Timestamp(secondsSince1970: 0),
            arrived: arrived)
        annotations = Self.annotations(of: snapshot)
        host = snapshot.hostName ?? ""
        version = snapshot.programVersion ?? ""
        program = explanation.executableName?.withoutDeletedMark ?? ""
        buildID = Self.buildID(of: snapshot)
        signature = explanation.signature?.text ?? ""
        signatureID = explanation.signature?.identifier ?? ""
        function = explanation.signature?.function ?? ""
        kind = snapshot.kind?.word ?? ""
        signal = explanation.reason?.signalName ?? ""
        frames = Self.frames(of: explanation)
    }

    /// From the fault on, if the program's own handler ended the process.
    private static func frames(of explanation: CrashExplanation) -> [String] {
        let stack = explanation.faultStack ?? explanation.mainThread?.stack
        return (stack?.frames ?? []).prefix(frameLimit).map { frame in
            String(name(of: frame).prefix(byteCount: textLimit))
        }
    }

    private static func name(of frame: ReportFrame) -> String {
        if let function = frame.shortFunction { return function }
        guard let place = frame.place else { return frame.address.hex }
        return place.moduleName.withoutDeletedMark + "+0x" + String(place.offset, radix: 16)
    }

    private static func annotations(of snapshot: ProcessSnapshot) -> [String: String] {
        Dictionary(
            snapshot.annotations.prefix(annotationLimit).map {
                (
                    String($0.name.prefix(byteCount: textLimit)),
                    String($0.value.prefix(byteCount: textLimit))
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    private static func buildID(of snapshot: ProcessSnapshot) -> String {
        let executable = snapshot.modules.first { $0.kind == .executable }
        return (executable?.buildID ?? []).hexDigits
    }

    private static let pieceBytes = 1 << 21

    /// A UUID of version 8, RFC 9562 5.8, from two runs of FNV-1a with 64 bits.
    private static func id(madeOf contents: ByteSlice) -> Epitaph.ID {
        var first = FNV1a()
        var second = FNV1a(basis: ~first.value)
        for offset in stride(from: 0, to: contents.count, by: pieceBytes) {
            let piece = contents.slice(from: offset, length: pieceBytes)
            piece.withUnsafeBytes { bytes in
                for byte in bytes {
                    first.combine(byte)
                    second.combine(byte ^ 0x5a)
                }
            }
            // A file may be larger than memory.
            piece.forget()
        }
        let high = first.value & ~0xf000 | 0x8000
        let low = second.value & ~(0xc000 << 48) | 0x8000 << 48
        return Epitaph.ID(high: high, low: low)
    }
}
