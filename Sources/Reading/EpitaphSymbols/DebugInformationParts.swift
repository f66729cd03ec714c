// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF
import EpitaphUnwinding

/// Other files that a file's DWARF is spread over, and which exist.
package struct DebugInformationParts: Sendable {
    /// A unit with its functions in a separate file, DWARF 5, 3.1.2.
    package struct SplitUnit: Sendable, Equatable {
        /// The `.dwo` file's name as given to the compiler.
        package let name: String
        /// Identifies both halves.
        package let id: UInt64
        /// The `.dwo` file or package with this unit of this build; nil if missing.
        package let path: String?
    }

    /// The file that dwz(1) made.
    package struct Alternate: Sendable {
        package let name: String
        package let buildID: [UInt8]
        package let file: LocatedImage?
    }

    /// In file order.
    package private(set) var splitUnits: [SplitUnit] = []
    package let alternate: Alternate?
    /// True if the file, which includes skeletons, has line tables.
    package let hasLines: Bool
    /// The reason for skipping its units, as a clause.
    package private(set) var problem: String?

    /// - Parameter paths: program and debug file; split units are searched beside them.
    package init(of file: LocatedImage, paths: [String]) {
        let link = AlternateFile(namedBy: file)
        alternate = link.map { .init(name: $0.name, buildID: $0.buildID, file: $0.located) }
        hasLines = [".debug_line", ".zdebug_line"].contains { name in
            file.image.section(named: name).map { !file.image.contents(of: $0).isEmpty } ?? false
        }
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
