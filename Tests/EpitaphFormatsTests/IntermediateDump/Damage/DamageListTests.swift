// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues
import Testing

@Suite("The list of damage")
struct DamageListTests {
    @Test(
        "Each part the handler may miss is named",
        arguments: [
            (.threads, 7, "thread 7"), (.threads, 0, "threads"),
            (.threadState, 7, "registers of thread 7"), (.modules, 0x1000, "module at 0x1000"),
            (.memoryRegions, 0x1000, "memory at 0x1000"), (.captureSummary, 0, "capture summary"),
            (.threadNice, 7, "thread nice of thread 7"), (.systemFiles, 5, "/proc/cpuinfo"),
            (.systemFiles, 7, "file 7"), (.systemFiles, 0, "system files"),
            (DumpKey(rawValue: 60_000), 1, "key 60000 at 0x1"),
        ] as [(DumpKey, UInt64, String)])
    func damageSubjects(section: DumpKey, subject: UInt64, words: String) throws {
        let snapshot = try SampleDumps.snapshot {
            $0.array(.damage) {
                $0.map {
                    $0.add(.damageSection, section.rawValue)
                    $0.add(.damageSubject, subject)
                    $0.add(.damageWhy, 6)
                    $0.add(.damageErrno, 0)
                }
            }
        }
        #expect(
            snapshot.damage == [
                Damage(
                    stage: .capture, subject: words,
                    reason: "there were more than there is room for")
            ])
    }

    @Test(
        "Of breadcrumbs it tells how many, or where the handler faulted",
        arguments: [
            (1, 14, "1 breadcrumb: half written at that moment"),
            (3, 14, "3 breadcrumbs: half written at that moment"),
            (2, 6, "2 breadcrumbs: there were more than there is room for"),
            (0x1000, 10, "breadcrumb at 0x1000: the handler itself faulted there"),
            (0, 8, "breadcrumbs: the deadline for the capture had passed"),
        ])
    func breadcrumbs(subject: UInt64, why: UInt32, sentence: String) throws {
        let snapshot = try SampleDumps.snapshot {
            $0.array(.damage) {
                $0.map {
                    $0.add(.damageSection, DumpKey.breadcrumbs.rawValue)
                    $0.add(.damageSubject, subject)
                    $0.add(.damageWhy, why)
                }
            }
        }
        #expect(snapshot.damage.map(\.sentence) == [sentence])
    }

    @Test("A damage entry that says nothing is still counted")
    func emptyDamage() throws {
        let snapshot = try SampleDumps.snapshot { $0.array(.damage) { $0.map { _ in } } }
        #expect(snapshot.damage.map(\.sentence) == ["dump: the reason is not recorded"])
    }

    @Test("Complaints are listed up to a limit, then counted")
    func damageLimit() throws {
        let snapshot = try SampleDumps.snapshot {
            $0.array(.threads) { for _ in 0..<1000 { $0.map { _ in } } }
        }
        #expect(snapshot.damage.count == 201)
        #expect(snapshot.damage.last?.sentence == "dump: 800 more errors are not listed")
    }

    @Test("Of an endless array the first 65536 entries count")
    func elementLimit() throws {
        let snapshot = try SampleDumps.snapshot {
            $0.array(.annotationsSimpleMap) {
                for _ in 0..<65_540 { $0.map { $0.add(.annotationName, "") } }
            }
        }
        #expect(snapshot.annotations.count == 65_536)
        #expect(
            snapshot.damage.map(\.sentence) == [
                "ANNOTATIONS_SIMPLE_MAP: there are more than 65536 entries; the rest was left out"
            ])
    }
}
