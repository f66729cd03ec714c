// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF
import EpitaphUnwinding

/// Which other files the DWARF of a file is spread over, and which of them are there.
package struct DebugInformationParts: Sendable {
    /// A unit whose functions are in a file of its own, DWARF 5, 3.1.2.
    package struct SplitUnit: Sendable, Equatable {
        /// The `.dwo` file as the compiler was told to name it.
        package let name: String
        /// The number by which both halves know each other.
        package let id: UInt64
        /// The `.dwo` file or the package that has this unit of this build; nil if there is none.
        package let path: String?
    }

    /// The file that dwz(1) made.
    package struct Alternate: Sendable {
        /// As the debug file names it.
        package let name: String
        /// The build id that it must have.
        package let buildID: [UInt8]
        /// The file with that build id; nil if there is none.
        package let file: LocatedImage?
    }

    /// In the order of the file.
    package private(set) var splitUnits: [SplitUnit] = []
    /// Nil if the file refers to none.
    package let alternate: Alternate?
    /// Whether it has line tables, or its split units' skeletons have.
    package let hasLines: Bool
    /// Why its units were not looked at, as a clause; nil if they were.
    package private(set) var problem: String?

    /// - Parameters:
    ///   - file: has the DWARF.
    ///   - paths: of the program and its debug file; split units are looked for there as well.
    package init(of file: LocatedImage, paths: [String]) {
        let link = AlternateFile(namedBy: file)
        alternate = link.map { .init(name: $0.name, buildID: $0.buildID, file: $0.located) }
        hasLines = [".debug_line", ".zdebug_line"].contains { name in
            file.image.section(named: name).map { !file.image.contents(of: $0).isEmpty } ?? false
        }
        // Skeletons have their addresses there, and few other units do: 7.27.
        guard file.image.section(named: ".debug_addr").map({ !$0.isEmptyInFile }) == true else {
            return
        }
        do throws(LibelfMemory.Refusal) {
            try findSplitUnits(file, paths)
        } catch {
            problem = error.reason
        }
    }

    private mutating func findSplitUnits(
        _ file: LocatedImage, _ paths: [String]
    ) throws(LibelfMemory.Refusal) {
        let budget = WorkBudget()
        let main = try LibdwFile(file.image)
        let split = SplitUnits(of: main, paths: paths, budget)
        for skeleton in main.unitEntries(budget) {
            guard let reference = split.reference(of: skeleton) else { continue }
            splitUnits.append(
                SplitUnit(
                    name: reference.name ?? "", id: reference.id,
                    path: split.found(reference, skeleton)?.path))
        }
        problem = budget.problem
    }
}
