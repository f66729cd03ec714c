// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSymbols
import EpitaphUnwinding
import EpitaphValues

/// The files of one module's build that are on this machine.
package struct ModuleSymbols: Sendable {
    package enum Missing: Sendable, Equatable {
        /// The loaded file, whose tables are needed to unwind.
        case executable
        /// DWARF: lines, inlined calls, and names of functions that are not exported.
        case debugInformation
        case lines
        /// Files with the functions of split units.
        case splitUnits([String])
        /// dwz's file.
        case alternate(String)
        /// A file could not be examined; the reason is a clause.
        case unknown(String)
    }

    package let module: ModuleSnapshot
    /// Frames of the report's stacks in this module.
    package let frameCount: Int
    /// Those without a name in any file.
    package let unnamedFrameCount: Int
    package let executable: String?
    /// Path of the debug information: another file, the executable, or Breakpad's symbol file.
    package let debugInformation: String?
    package let missing: [Missing]
    /// Why the executable is missing, or a restriction; a sentence without a full stop.
    package let problem: String?

    init(
        _ module: ModuleSnapshot, _ images: ModuleImages, frameCount: Int, unnamedFrameCount: Int
    ) {
        self.module = module
        self.frameCount = frameCount
        self.unnamedFrameCount = unnamedFrameCount
        let code = images.code ?? images.candidate
        executable = code?.path
        problem = images.presentProblem?.description
        let files = [images.debug, code].compactMap(\.self)
        let debug = files.first { $0.image.hasDebugInformation }
        debugInformation = debug?.path ?? images.symbolFile?.path
        // The vdso is in the report, and no kernel has debug information of it.
        guard module.kind != .vdso else {
            missing = []
            return
        }
        let own: [Missing] = code == nil ? [.executable] : []
        let symbols: [Missing] = images.symbolFile == nil ? [.debugInformation] : []
        missing = own + (debug.map { Self.lacking($0, files) } ?? symbols)
    }

    private static func lacking(_ debug: LocatedImage, _ files: [LocatedImage]) -> [Missing] {
        let parts = DebugInformationParts(of: debug, paths: files.map(\.path))
        var missing: [Missing] = []
        if !parts.hasLines { missing.append(.lines) }
        let units = Set(parts.splitUnits.filter { $0.path == nil }.map(\.name))
        if !units.isEmpty { missing.append(.splitUnits(units.sorted())) }
        if let alternate = parts.alternate, alternate.file == nil {
            missing.append(.alternate(alternate.name))
        }
        if let problem = parts.problem { missing.append(.unknown(problem)) }
        return missing
    }

    package enum State: String, Sendable {
        case complete
        case functions
        case incomplete
    }

    package var state: State {
        if missing.isEmpty, unnamedFrameCount == 0 { return .complete }
        return unnamedFrameCount > 0 || missing.contains(.executable) ? .incomplete : .functions
    }
}

extension ModuleSymbols.Missing: CustomStringConvertible {
    /// Continues "missing:".
    package var description: String {
        switch self {
        case .executable: "the executable"
        case .debugInformation: "debug information"
        case .lines: "lines"
        case .splitUnits(let names):
            "split units (" + names.prefix(3).joined(separator: ", ")
                + (names.count > 3 ? " and \(names.count - 3) more)" : ")")
        case .alternate(let name): "\(name), which dwz made"
        case .unknown(let reason): "perhaps other parts of the debug information (\(reason))"
        }
    }

    package var word: String {
        switch self {
        case .executable: "executable"
        case .debugInformation: "debugInformation"
        case .lines: "lines"
        case .splitUnits: "splitUnits"
        case .alternate: "alternate"
        case .unknown: "unknown"
        }
    }
}
