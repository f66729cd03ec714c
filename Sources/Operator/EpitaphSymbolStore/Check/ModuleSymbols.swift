// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSymbols
import EpitaphUnwinding
import EpitaphValues

/// Which files of one module's build are on this machine.
package struct ModuleSymbols: Sendable {
    /// Something that is not there.
    package enum Missing: Sendable, Equatable {
        /// The file that was loaded. Stacks are followed with its tables.
        case executable
        /// DWARF: lines, inlined calls, and the names of functions that are not exported.
        case debugInformation
        /// The line tables alone.
        case lines
        /// Files with the functions of split units.
        case splitUnits([String])
        /// The file that dwz made.
        case alternate(String)
        /// What is there could not be looked into; why, as a clause.
        case unknown(String)
    }

    /// The module.
    package let module: ModuleSnapshot
    /// How many frames of the report's stacks are in it.
    package let frameCount: Int
    /// How many of these no file gives a name.
    package let unnamedFrameCount: Int
    /// Where its executable is; nil if it is missing.
    package let executable: String?
    /// Where its debug information is: another file, the executable itself, or Breakpad's symbol file.
    package let debugInformation: String?
    /// Nothing if all is there.
    package let missing: [Missing]
    /// Why the executable is missing, as a sentence without a full stop; or a restriction.
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

    /// What the debug information leads to and is not there.
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

    /// How much of it the report's stacks show.
    package enum State: String, Sendable {
        /// Nothing is missing.
        case complete
        /// Every frame has a function, and some have no line or lack inlined calls.
        case functions
        /// Some frames have no name, or the executable is not there.
        case incomplete
    }

    /// See `State`.
    package var state: State {
        if missing.isEmpty, unnamedFrameCount == 0 { return .complete }
        return unnamedFrameCount > 0 || missing.contains(.executable) ? .incomplete : .functions
    }
}

extension ModuleSymbols.Missing: CustomStringConvertible {
    /// As the end of a sentence that begins with "missing:".
    package var description: String {
        switch self {
        case .executable: "the executable"
        case .debugInformation: "debug information"
        case .lines: "lines"
        case .splitUnits(let names):
            "split units (" + names.prefix(3).joined(separator: ", ")
                + (names.count > 3 ? " and \(names.count - 3) more)" : ")")
        case .alternate(let name): "\(name), which dwz made"
        case .unknown(let reason): "what the debug information leads to is not known: \(reason)"
        }
    }

    /// For programs.
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
