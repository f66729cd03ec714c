// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF
import EpitaphUnwinding

/// The DWARF of one ELF file, by address in the file. Indexed by walking the entries, a unit at its
/// first lookup: Swift writes no `.debug_aranges`, which libdw's own lookups need.
final class DebugInformation {
    struct Call {
        var name: String?
        var qualifiedName: String?
        /// `qualifiedName`, if there is one, has the types of parameters.
        var isNameWhole = false
        var place: SourcePlace
        var functionLine: Int?
    }

    struct Answer {
        var calls: [Call] = []
        /// Start addresses of the outermost call's function, perhaps several.
        var functionStarts: [UInt64] = []
        /// The line of the address itself.
        var place = SourcePlace()
    }

    /// A prologue and the code after an `await` have some dozen instructions at most.
    private static let prologueReach: UInt64 = 512

    let file: LibdwFile
    private let code: CodeAddresses
    private let splitUnits: SplitUnits
    let budget = WorkBudget()
    private let units: AddressIndex<DIE>
    /// Units that do not list their addresses.
    private let unlistedUnits: [DIE]
    private var functions: [UInt64: UnitFunctions] = [:]
    private let names: EnclosingNames

    /// - Parameters:
    ///   - paths: program and debug file; split DWARF is searched beside them.
    ///   - alternate: the dwz file, if already found.
    init(
        _ debug: LocatedImage, paths: [String], alternate: LocatedImage?
    ) throws(LibelfMemory.Refusal) {
        let alternate = AlternateFile.find(for: debug, known: alternate)
        let file = try LibdwFile(debug.image, alternate: alternate)
        self.file = file
        code = CodeAddresses(debug.image)
        splitUnits = SplitUnits(of: file, paths: paths, budget)
        var ranges: [(Range<UInt64>, DIE)] = []
        var unlisted: [DIE] = []
        names = EnclosingNames(budget)
        for entry in file.unitEntries(budget) where entry.tag == .scope {
            names.add(unit: entry)
            let own = CompilationUnit(entry, of: file, code: code).ranges(of: entry, budget)
            guard budget.hold(own.count * WorkBudget.bytesPerEntry) else { break }
            ranges += own.map { ($0, entry) }
            if own.isEmpty, entry.hasNoAddresses { unlisted.append(entry) }
        }
        units = AddressIndex(ranges)
        unlistedUnits = unlisted
    }

    func renewBudget() { budget.renew() }

    var problem: String? { budget.problem ?? file.lineTables.problem }

    func answer(at address: UInt64) -> Answer {
        var incomplete = Answer()
        for entry in units.values(containing: address) {
            let answer = self.answer(at: address, in: entry)
            if !answer.calls.isEmpty { return answer }
            if incomplete.place.file == nil { incomplete = answer }
        }
        guard incomplete.place.file == nil else { return incomplete }
        for entry in unlistedUnits {
            let answer = self.answer(at: address, in: entry)
            if !answer.calls.isEmpty { return answer }
        }
        return incomplete
    }

    /// The first address from `address` on with a line, nearby in the same function.
    func firstLine(from address: UInt64) -> UInt64? {
        for entry in units.values(containing: address) {
            let functions = functions(of: entry)
            guard let function = functions.calls(at: address, budget).first,
                let range = functions.unit.ranges(of: function, budget).first(where: {
                    $0.contains(address)
                })
            else { continue }
            let end = min(range.upperBound, address &+ Self.prologueReach)
            let source = SourceUnit(functions.unit, file.lineTables)
            return (address..<max(end, address)).first {
                budget.spend() && source.place(of: $0).line != nil
            }
        }
        return nil
    }

    private func answer(at address: UInt64, in entry: DIE) -> Answer {
        let functions = functions(of: entry)
        let source = SourceUnit(functions.unit, file.lineTables)
        var answer = Answer(place: source.place(of: address))
        var place = answer.place
        let chain = functions.calls(at: address, budget)
        for call in chain.reversed() {
            answer.calls.append(
                Call(
                    name: call.name, qualifiedName: names.qualifiedName(of: call),
                    isNameWhole: names.hasParameters(around: call),
                    place: place,
                    functionLine: call.declarationLine
                        ?? names.line(ofClosureOf: call)))
            place = source.callSite(of: call)
        }
        if let function = chain.first {
            answer.functionStarts =
                functions.unit.ranges(of: function, budget).map(\.lowerBound)
        }
        return answer
    }

    func functions(of entry: DIE) -> UnitFunctions {
        if let known = functions[entry.offset] { return known }
        let split = splitUnits.unit(of: entry)
        let unit =
            split.map { CompilationUnit(entry, splitInto: $0, code: code) }
            ?? CompilationUnit(entry, of: file, code: code)
        names.add(unit: unit.root)
        let found = UnitFunctions(unit, budget)
        functions[entry.offset] = found
        return found
    }
}

extension DIE {
    fileprivate var hasNoAddresses: Bool {
        attribute(Int(DW_AT_ranges)) == nil && attribute(Int(DW_AT_high_pc)) == nil
    }
}
