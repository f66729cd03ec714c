// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF

/// State of libunwind's callbacks: what they read, and what they record about a step.
final class LibunwindContext {
    /// A step in an intact image reads a few hundred words; a looping DWARF expression never stops.
    private static let readLimit = 100_000

    let memory: CapturedMemory
    let modules: LoadedModules
    var registers: [UInt64?] = []

    private var readsLeft = 0
    private var isSearchingTable = false
    private(set) var hasNoTable = false

    var isExhausted: Bool { readsLeft <= 0 }

    init(memory: CapturedMemory, modules: LoadedModules) {
        self.memory = memory
        self.modules = modules
    }

    func prepare() {
        readsLeft = Self.readLimit
        hasNoTable = false
    }

    static var accessors: epitaph_unw_accessors_t {
        epitaph_unw_accessors_t(
            find_proc_info: { space, address, procedure, needsInfo, argument in
                guard let context = LibunwindContext.from(argument) else { return -noInfo }
                return context.findProcedure(
                    space, address, procedure, needsInfo, argument)
            },
            put_unwind_info: { _, _, _ in },
            get_dyn_info_list_addr: { _, _, _ in -noInfo },
            access_mem: { _, address, value, isWrite, argument in
                guard let context = LibunwindContext.from(argument), isWrite == 0,
                    let word = context.read(address)
                else { return -invalid }
                value?.pointee = word
                return 0
            },
            access_reg: { _, number, value, isWrite, argument in
                guard let context = LibunwindContext.from(argument), isWrite == 0,
                    let register = context.register(Int(number))
                else { return -badRegister }
                value?.pointee = register
                return 0
            },
            access_fpreg: { _, _, _, _, _ in -badRegister },
            resume: { _, _, _ in -invalid },
            get_proc_name: { _, _, _, _, _, _ in -noInfo }, later: (nil, nil, nil, nil))
    }

    private static func from(_ argument: UnsafeMutableRawPointer?) -> LibunwindContext? {
        argument.map { Unmanaged<LibunwindContext>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(_ address: UInt64) -> UInt64? {
        readsLeft -= 1
        guard readsLeft > 0 else { return nil }
        let word = memory.word(at: address)
        // Entries of C++ functions name their personality routine through a pointer that libunwind
        // reads while searching; a stack walk does not need it.
        if word == nil, isSearchingTable, modules.module(at: address) != nil { return 0 }
        return word
    }

    private func register(_ number: Int) -> UInt64? {
        registers.indices.contains(number) ? registers[number] : nil
    }

    /// Gives libunwind the search table of the image at `address`.
    private func findProcedure(
        _ space: OpaquePointer?, _ address: UInt64,
        _ procedure: UnsafeMutablePointer<epitaph_unw_proc_info_t>?, _ needsInfo: Int32,
        _ argument: UnsafeMutableRawPointer?
    ) -> Int32 {
        guard let module = modules.module(at: address),
            let table = module.searchTable(at: module.fileAddress(address))
        else {
            hasNoTable = true
            return -noInfo
        }
        var info = epitaph_unw_dyn_info_t()
        info.start_ip = module.addressRange.lowerBound
        info.end_ip = module.addressRange.upperBound
        info.format = Int32(UNW_INFO_FORMAT_REMOTE_TABLE.rawValue)
        info.u.rti.segbase = table.headerAddress &+ module.loadBias
        info.u.rti.table_data = table.entriesAddress &+ module.loadBias
        // In words; an entry has two halves of one word each.
        info.u.rti.table_len = table.entryCount
        isSearchingTable = true
        defer { isSearchingTable = false }
        let result = epitaph_Ux86_64_dwarf_search_unwind_table(
            space, address, &info, procedure, needsInfo, argument)
        if result == -noInfo { hasNoTable = true }
        return result
    }
}

private let noInfo = Int32(bitPattern: UNW_ENOINFO.rawValue)
private let invalid = Int32(bitPattern: UNW_EINVAL.rawValue)
private let badRegister = Int32(bitPattern: UNW_EBADREG.rawValue)
