// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import Testing

/// The page and the header must say the same, in both directions.
@Suite("docs/dump-format.md and epitaph_dump_format.h")
struct DumpFormatPageTests {
    private let page: DumpFormatPage
    private let tableRows: [epitaph_dump_key_row]

    init() throws {
        page = try DumpFormatPage()
        var rows: [epitaph_dump_key_row] = []
        while epitaph_dump_key_row_at(UInt32(rows.count)).name != nil {
            rows.append(epitaph_dump_key_row_at(UInt32(rows.count)))
        }
        tableRows = rows
    }

    @Test("Every key of the header is on the page with its number and type, and no other")
    func keys() {
        let onPage = page.rows(under: "## Keys").map { $0.prefix(3).joined(separator: " ") }
        let inHeader = tableRows.map {
            "\($0.number) \(String(cString: $0.name)) \(String(cString: $0.type_name))"
        }
        #expect(!inHeader.isEmpty)
        #expect(Set(onPage) == Set(inHeader))
        #expect(onPage.count == inHeader.count)
    }

    @Test("Every key on the page has a meaning")
    func meanings() {
        for row in page.rows(under: "## Keys") {
            #expect(row.count == 4, "\(row)")
            #expect(row.last?.isEmpty == false, "\(row)")
        }
    }

    @Test("No key number and no key name is used twice, and 0 is not used")
    func unique() {
        #expect(Set(tableRows.map(\.number)).count == tableRows.count)
        #expect(Set(tableRows.map { String(cString: $0.name) }).count == tableRows.count)
        #expect(tableRows.allSatisfy { $0.number != 0 })
    }

    @Test("Behind the last row of the table there is none")
    func end() {
        #expect(epitaph_dump_key_row_at(UInt32(tableRows.count)).name == nil)
        #expect(epitaph_dump_key_row_at(.max).name == nil)
    }

    @Test("Every type of the header is on the page")
    func types() {
        let onPage = Set(
            page.rows(under: "### Types").flatMap { $0[0].components(separatedBy: ", ") })
        #expect(Set(tableRows.map { String(cString: $0.type_name) }).isSubset(of: onPage))
    }

    @Test("The commands on the page are the header's")
    func commands() {
        let inHeader = [
            ("MAP_START", EPITAPH_COMMAND_MAP_START), ("MAP_END", EPITAPH_COMMAND_MAP_END),
            ("ARRAY_START", EPITAPH_COMMAND_ARRAY_START),
            ("ARRAY_END", EPITAPH_COMMAND_ARRAY_END), ("PROPERTY", EPITAPH_COMMAND_PROPERTY),
            ("ROOT_MAP_START", EPITAPH_COMMAND_ROOT_MAP_START),
            ("ROOT_MAP_END", EPITAPH_COMMAND_ROOT_MAP_END),
        ].map { "0\($1.rawValue) \($0)" }
        let onPage = page.rows(under: "### Commands").filter { $0.count == 3 }
        #expect(onPage.map { "\($0[0]) \($0[1])" } == inHeader)
    }

    @Test("The reasons on the page are the header's, word for word")
    func reasons() {
        let onPage = page.rows(under: "### Reasons")
        for row in onPage {
            let words = UInt32(row[0]).flatMap { epitaph_dump_why_words($0) }
            #expect(words.map { String(cString: $0) } == row[2])
        }
        let numbers = (0..<1000 as Range<UInt32>).filter { epitaph_dump_why_words($0) != nil }
        #expect(onPage.map { UInt32($0[0]) } == numbers)
    }

    @Test("The other coded values on the page are the header's")
    func codedValues() {
        let completenesses = [
            ("COMPLETE", EPITAPH_THREAD_COMPLETE), ("PARTIAL", EPITAPH_THREAD_PARTIAL),
            ("MISSING", EPITAPH_THREAD_MISSING),
        ].map { "\($1.rawValue) \($0)" }
        let kinds = [
            ("EXECUTABLE", EPITAPH_MODULE_EXECUTABLE),
            ("SHARED_OBJECT", EPITAPH_MODULE_SHARED_OBJECT),
            ("LOADER", EPITAPH_MODULE_LOADER), ("VDSO", EPITAPH_MODULE_VDSO),
        ].map { "\($1.rawValue) \($0)" }
        let levels = [
            ("DEBUG", EPITAPH_BREADCRUMB_DEBUG), ("INFO", EPITAPH_BREADCRUMB_INFO),
            ("WARNING", EPITAPH_BREADCRUMB_WARNING), ("ERROR", EPITAPH_BREADCRUMB_ERROR),
            ("FATAL", EPITAPH_BREADCRUMB_FATAL),
        ].map { "\($1.rawValue) \($0)" }
        let fileStates = [
            ("SAME", EPITAPH_FILE_STATE_SAME), ("DELETED", EPITAPH_FILE_STATE_DELETED),
            ("REPLACED", EPITAPH_FILE_STATE_REPLACED), ("LOST", EPITAPH_FILE_STATE_LOST),
        ].map { "\($1.rawValue) \($0)" }
        let reportKinds = [
            ("CRASH", EPITAPH_REPORT_KIND_CRASH), ("LIVE", EPITAPH_REPORT_KIND_LIVE),
            ("HANG", EPITAPH_REPORT_KIND_HANG),
            ("RECOVERED_HANG", EPITAPH_REPORT_KIND_RECOVERED_HANG),
            ("MEMORY_WARNING", EPITAPH_REPORT_KIND_MEMORY_WARNING),
            ("HANDLED_ERROR", EPITAPH_REPORT_KIND_HANDLED_ERROR),
            ("OUT_OF_MEMORY", EPITAPH_REPORT_KIND_OUT_OF_MEMORY),
        ].map { "\($1.rawValue) \($0)" }
        let scopes = [("ALL", EPITAPH_THREADS_ALL), ("SUBJECT", EPITAPH_THREADS_SUBJECT)]
            .map { "\($1.rawValue) \($0)" }
        let types = [
            ("STRING", EPITAPH_ANNOTATION_STRING), ("INTEGER", EPITAPH_ANNOTATION_INTEGER),
            ("NUMBER", EPITAPH_ANNOTATION_NUMBER), ("BOOLEAN", EPITAPH_ANNOTATION_BOOLEAN),
        ].map { "\($1.rawValue) \($0)" }
        func onPage(_ heading: String) -> [String] {
            page.rows(under: heading).map { "\($0[0]) \($0[1])" }
        }
        #expect(onPage("### Completeness") == completenesses)
        #expect(onPage("### Module kinds") == kinds)
        #expect(onPage("### Levels") == levels)
        #expect(onPage("### File states") == fileStates)
        #expect(onPage("### Report kinds") == reportKinds)
        #expect(onPage("### Thread scopes") == scopes)
        #expect(onPage("### Types of annotations") == types)
        #expect(EPITAPH_DUMP_VERSION == 1)
    }
}
