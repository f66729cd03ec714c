// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What crashes of one cause have in common: the same for every run of one program, whatever its
/// addresses, and across builds as long as the functions keep their names and, for deaths that are
/// written into the program, the lines before the failure do not change.
package struct CrashSignature: Sendable, Hashable {
    /// For people: `null-dereference parse(_:) | handle(_:)`, and `swift-runtime-failure "Index out of
    /// range" pick(_:_:) line 3 | handle(_:)`.
    package var text: String
    /// For machines: 16 hexadecimal digits made from `text`.
    package var identifier: String
    /// Like `text`, but nothing in it depends on the build: for unnamed frames it has their modules
    /// without offsets. Crashes of several causes may share it.
    package var family: String
    /// The innermost of the functions in `text`; nil where it names none.
    package var function: String?

    static let frameCount = 4
    /// Part of the input of the identifier; changed whenever frames are chosen differently.
    private static let version = "epitaph-signature-2"

    /// - Parameters:
    ///   - kind: the kind of death.
    ///   - frames: of the crashing thread, innermost first.
    ///   - signalName: distinguishes deaths about which the frames say nothing, such as that by a
    ///     signal another process sent.
    ///   - failure: the message if the program stopped itself.
    package init(
        kind: Diagnosis.Kind, frames: [ReportFrame], signalName: String? = nil,
        words failure: FailureWords? = nil
    ) {
        let chosen = SignatureFrames(frames, of: kind, words: failure)
        let quoted = failure.map { " \"\($0.normalized(besideLine: chosen.hasLine))\"" } ?? ""
        let label = kind.signatureLabel + quoted
        let words: [String] = chosen.names
        let rest = kind.dependsOnFrames ? words : [signalName].compactMap(\.self)
        text = Self.text(label, rest)
        family = Self.text(label, kind.dependsOnFrames ? chosen.familyNames : rest)
        function = kind.dependsOnFrames ? chosen.function : nil
        identifier = FNV1a("\(Self.version) \(text)".utf8).hexDigits
    }

    /// The signature of a report of a process that lived on, after the stack of the thread that it
    /// is about. A hang that ended by itself is the same as one that did not.
    ///
    /// - Parameters:
    ///   - kind: what the report is of.
    ///   - frames: of that thread, innermost first.
    ///   - errorType: of a handled error.
    /// - Returns: nil if there is neither, and for kinds that have nothing in common.
    init?(_ kind: ReportKind, frames: [ReportFrame], errorType: String? = nil) {
        let label: String
        switch kind {
        case .hang, .recoveredHang: label = ReportKind.hang.word
        case .handledError:
            label = [kind.word, errorType].compactMap(\.self).joined(separator: " ")
        case .outOfMemory, .memoryWarning: label = kind.word
        case .crash, .live, .unknown: return nil
        }
        guard !frames.isEmpty || errorType != nil else { return nil }
        let chosen = SignatureFrames(frames)
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
    /// Where a wrong pointer leads is chance: one error causes sometimes this kind of fault and
    /// sometimes that.
    fileprivate var signatureLabel: String {
        switch self {
        case .unmappedAddress, .nonCanonicalAddress, .generalProtection, .inaccessibleMemory,
            .writeToReadOnly, .writeToCode:
            "bad-memory-access"
        case .wildJump, .executeData: "bad-jump"
        default: rawValue
        }
    }

    /// A signal from outside reaches the program wherever it happens to be.
    fileprivate var dependsOnFrames: Bool {
        switch self {
        case .signalFromProcess: false
        case .resourceLimit, .hardwareMemoryError: false
        default: true
        }
    }
}
