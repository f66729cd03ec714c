// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Identifies crashes of one cause, independent of addresses and stable across builds while
/// functions keep their names and, for failures of the program, the lines before.
package struct CrashSignature: Sendable, Hashable {
    /// For people: `null-dereference parse(_:) | handle(_:)`, or `swift-runtime-failure "Index out
    /// of range" pick(_:_:) line 3 | handle(_:)`.
    package var text: String
    /// For machines: 16 hexadecimal digits, a hash of `text`.
    package var identifier: String
    /// `text` without module offsets, so independent of the build; several causes may share it.
    package var family: String
    package var function: String?

    static let frameCount = 4
    /// Hashed into the identifier; changed when most texts are: a text that stays keeps its group.
    private static let version = "epitaph-signature-4"

    /// - Parameters:
    ///   - frames: the crashing thread's, innermost first.
    ///   - signalName: distinguishes deaths unrelated to the frames, as by a signal from outside.
    ///   - isRaised: the thread raised the signal itself, so that its frames matter.
    package init(
        kind: Diagnosis.Kind, frames: [ReportFrame], signalName: String? = nil,
        isRaised: Bool = false, words failure: FailureWords? = nil, heap: HeapCause? = nil
    ) {
        let chosen = SignatureFrames(frames, of: kind, words: failure)
        let quoted = failure.map { " \"\($0.normalized(besideLine: chosen.hasLine))\"" } ?? ""
        let dependsOnFrames = kind.dependsOnFrames || isRaised
        let signal = kind.dependsOnFrames || heap != nil ? nil : signalName
        let label = [kind.signatureLabel + quoted, signal, heap?.words].compactMap(\.self)
            .joined(separator: " ")
        text = Self.text(label, dependsOnFrames ? chosen.names : [])
        family = Self.text(label, dependsOnFrames ? chosen.familyNames : [])
        function = dependsOnFrames ? chosen.function : heap?.function
        identifier = FNV1a("\(Self.version) \(text)".utf8).hexDigits
    }

    /// The signature of a process that lived on. Hangs that ended count as hangs. Nil without
    /// frames (the subject thread's) and error type, and for kinds with nothing in common.
    init?(
        _ kind: ReportKind, frames: [ReportFrame], errorType: String? = nil,
        dependsOnFrames: Bool = true
    ) {
        let label: String
        switch kind {
        case .hang, .recoveredHang: label = ReportKind.hang.word
        case .handledError:
            label = [kind.word, errorType].compactMap(\.self).joined(separator: " ")
        case .outOfMemory, .memoryWarning: label = kind.word
        case .crash, .live, .unknown: return nil
        }
        guard !frames.isEmpty || errorType != nil else { return nil }
        let chosen = SignatureFrames(dependsOnFrames ? frames : [])
        text = Self.text(label, chosen.names)
        family = Self.text(label, chosen.familyNames)
        function = chosen.function
        identifier = FNV1a("\(Self.version) \(text)".utf8).hexDigits
    }

    private static func text(_ label: String, _ names: [String]) -> String {
        names.isEmpty ? label : "\(label) \(names.joined(separator: " | "))"
    }
}

extension Diagnosis.Kind {
    fileprivate var signatureLabel: String {
        switch self {
        case .unmappedAddress, .nonCanonicalAddress, .generalProtection, .inaccessibleMemory,
            .writeToReadOnly, .writeToCode:
            "bad-memory-access"
        case .wildJump, .executeData: "bad-jump"
        default: rawValue
        }
    }

    /// A signal from outside hits the program anywhere.
    fileprivate var dependsOnFrames: Bool {
        switch self {
        case .signalFromProcess: false
        case .resourceLimit, .hardwareMemoryError: false
        // Who freed the block did not write beside it.
        case .heapOverwrite: false
        default: true
        }
    }
}
