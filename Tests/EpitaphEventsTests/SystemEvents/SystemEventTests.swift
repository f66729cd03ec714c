// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import EpitaphEvents

/// Events as they come, from any thread.
final class SystemEventList: Sendable {
    private let events = Mutex<[SystemEvent]>([])

    var all: [SystemEvent] { events.withLock { $0 } }
    func add(_ event: SystemEvent) { events.withLock { $0.append(event) } }
}

/// The kernel's side of a socket, played.
struct PlayedKernel {
    let far: FileDescriptor
    let near: FileDescriptor

    init() {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &ends) == 0)
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        near = FileDescriptor(owning: ends[0], path: "near")
        far = FileDescriptor(owning: ends[1], path: "far")
    }

    func send(_ bytes: [UInt8]) {
        #expect(write(far.rawValue, bytes, bytes.count) == bytes.count)
    }
}

@Suite struct LinkMessageTests {
    /// struct nlmsghdr, struct ifinfomsg and IFLA_IFNAME: rtnetlink(7).
    static func message(
        _ index: UInt32, _ name: String, flags: UInt32, type: UInt16 = 16
    ) -> [UInt8] {
        func bytes<Value>(_ value: Value) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
        let text = Array(name.utf8) + [0]
        let padded = text + [UInt8](repeating: 0, count: (4 - text.count % 4) % 4)
        let attribute = bytes(UInt16(4 + text.count)) + bytes(UInt16(3)) + padded
        let mtu = bytes(UInt16(8)) + bytes(UInt16(4)) + bytes(UInt32(1500))
        let link =
            [0, 0] + bytes(UInt16(1)) + bytes(index) + bytes(flags) + bytes(UInt32.max)
            + mtu + attribute
        let count = UInt32(16 + link.count)
        return bytes(count) + bytes(type) + bytes(UInt16(0)) + bytes(UInt32(0))
            + bytes(UInt32(0)) + link
    }

    @Test("Messages are taken apart, several of one datagram too")
    func parsing() {
        let bytes =
            Self.message(2, "eth0", flags: 0x1_1043)
            + Self.message(7, "wlan", flags: 0x1003, type: 17)
        #expect(
            LinkMessage.all(in: bytes) == [
                LinkMessage(index: 2, name: "eth0", isRunning: true, isRemoved: false),
                LinkMessage(index: 7, name: "wlan", isRunning: false, isRemoved: true),
            ])
    }

    @Test("What is cut or makes no sense is left out")
    func hostile() {
        let whole = Self.message(2, "eth0", flags: 0x40)
        for count in whole.indices {
            #expect(LinkMessage.all(in: Array(whole.prefix(count))).isEmpty)
        }
        var lying = whole
        lying[32] = 0xff
        lying[33] = 0xff
        #expect(LinkMessage.all(in: lying).map(\.name) == [""])
        #expect(LinkMessage.all(in: [UInt8](repeating: 0, count: 64)).isEmpty)
    }

    @Test("Only changes are told")
    func table() {
        var table = LinkTable()
        func event(_ flags: UInt32, _ type: UInt16 = 16) -> String? {
            LinkMessage.all(in: Self.message(2, "eth0", flags: flags, type: type)).first
                .flatMap { table.event(for: $0) }?.message
        }
        #expect(event(0) == nil)
        #expect(event(0x40) == "network link eth0 is up")
        #expect(event(0x41) == nil)
        #expect(event(0) == "network link eth0 is down")
        #expect(event(0, 17) == "network link eth0 is gone")
    }
}

@Suite struct PowerSupplyTests {
    @Test("Mains that come and go, and a battery that is low, are told once")
    func changes() {
        var supplies = PowerSupplies()
        func told(_ properties: String...) -> String? {
            let bytes = Array("change@/x\0".utf8) + properties.flatMap { Array(($0 + "\0").utf8) }
            return supplies.event(for: PowerSupplies.properties(of: bytes))?.message
        }
        let mains = ["SUBSYSTEM=power_supply", "POWER_SUPPLY_NAME=AC"]
        let battery = [
            "SUBSYSTEM=power_supply", "POWER_SUPPLY_NAME=BAT0", "POWER_SUPPLY_STATUS=Discharging",
        ]
        #expect(told(mains[0], mains[1], "POWER_SUPPLY_ONLINE=0") == "power supply AC is off")
        #expect(told(mains[0], mains[1], "POWER_SUPPLY_ONLINE=0") == nil)
        #expect(told(mains[0], mains[1], "POWER_SUPPLY_ONLINE=1") == "power supply AC is on")
        #expect(told(battery[0], battery[1], battery[2], "POWER_SUPPLY_CAPACITY=50") == nil)
        #expect(
            told(battery[0], battery[1], battery[2], "POWER_SUPPLY_CAPACITY=9")
                == "battery BAT0 is low")
        #expect(told(battery[0], battery[1], battery[2], "POWER_SUPPLY_CAPACITY=8") == nil)
        #expect(told("SUBSYSTEM=block", "DEVNAME=sda") == nil)
        #expect(told() == nil)
    }
}

@Suite struct EventFilterTests {
    @Test("Kinds and levels that are not wanted are left out, and too many of one kind are counted")
    func filter() {
        var options = SystemEventOptions()
        options.kinds = [.signal, .clockStep]
        options.mostPerMinute = 2
        var filter = EventFilter(options)
        let signal = SystemEvent(.signal, .info, "signal SIGHUP came")
        #expect(filter.passed(SystemEvent(.locale, .info, "x"), seconds: 0) == nil)
        #expect(filter.passed(SystemEvent(.signal, .debug, "x"), seconds: 0) == nil)
        let passed = (0..<5).compactMap { filter.passed(signal, seconds: Double($0)) }
        #expect(passed == [signal, signal])
        #expect(filter.passed(SystemEvent(.clockStep, .info, "y"), seconds: 5) != nil)
        let later = filter.passed(signal, seconds: 61)
        #expect(later?.message == "signal SIGHUP came (3 more of these before it were left out)")
        // A clock that goes backwards begins a new minute.
        #expect(filter.passed(signal, seconds: 1)?.message == "signal SIGHUP came")
    }

    @Test("Numbers outside of their range become the nearest inside")
    func clamping() {
        var options = SystemEventOptions()
        options.mostPerMinute = 0
        #expect(options.mostPerMinute == 1)
        options.mostPerMinute = .max
        #expect(options.mostPerMinute == 1_000)
    }
}

@Suite struct SystemEventWatchTests {
    private func sources(
        _ directory: TemporaryDirectory, links: PlayedKernel? = nil, devices: PlayedKernel? = nil,
        clock: PlayedKernel? = nil
    ) throws -> SystemSources {
        var sources = SystemSources()
        let none = SystemError(call: "socket", subject: "test", errorNumber: EAFNOSUPPORT)
        func opening(_ played: PlayedKernel?) -> SystemSources.Opening {
            let near = played?.near
            return { () throws(SystemError) in
                guard let near else { throw none }
                return near
            }
        }
        sources.openLinks = opening(links)
        sources.openDevices = opening(devices)
        sources.openClock = opening(clock)
        sources.clockWasSet = { file in (try? file.nextKernelMessage()) ?? nil != nil }
        sources.configurationDirectory = directory.path("etc")
        sources.powerSupplyDirectory = directory.path("supplies")
        try FileManager.default.createDirectory(
            atPath: directory.path("etc"), withIntermediateDirectories: true)
        return sources
    }

    @Test("Each source tells what it hears, and stopping is the last word")
    func everySource() throws {
        let directory = try TemporaryDirectory()
        let (links, devices, clock) = (PlayedKernel(), PlayedKernel(), PlayedKernel())
        let played = try sources(directory, links: links, devices: devices, clock: clock)
        try FileManager.default.createDirectory(
            atPath: directory.path("supplies/AC"), withIntermediateDirectories: true)
        let log = SystemEventList()
        let watch = try SystemEventWatch(sources: played, onEvent: log.add)
        links.send(LinkMessageTests.message(2, "eth0", flags: 0x40))
        let words = "c@/x\0SUBSYSTEM=power_supply\0POWER_SUPPLY_NAME=AC\0POWER_SUPPLY_ONLINE=0\0"
        devices.send(Array(words.utf8))
        clock.send([1])
        #expect(eventually(withinSeconds: 30) { log.all.count >= 3 })
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("etc/localtime"), withDestinationPath: "/zone/Berlin")
        #expect(eventually(withinSeconds: 30) { log.all.count >= 4 })
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("etc/locale.conf"), withDestinationPath: "/locale/de")
        #expect(eventually(withinSeconds: 30) { log.all.count >= 5 })
        watch.noteConfigurationReload()
        watch.noteSignal(.sighup)
        watch.stop()
        watch.noteSignal(.sigterm)
        let kinds = log.all.map(\.kind)
        #expect(
            Set(kinds) == [
                .networkLink, .powerSupply, .clockStep, .timeZone, .locale, .configuration,
                .signal,
            ])
        #expect(log.all.count == 7)
    }

    @Test("A source that cannot be had is off, says so once, and the others work")
    func off() throws {
        let directory = try TemporaryDirectory()
        let links = PlayedKernel()
        let log = SystemEventList()
        let watch = try SystemEventWatch(
            sources: try sources(directory, links: links), onEvent: log.add)
        #expect(eventually(withinSeconds: 30) { log.all.count >= 2 })
        #expect(log.all.allSatisfy { $0.kind == .sourceOff })
        #expect(
            Set(log.all.map { $0.details["source"] }) == ["power supplies", "clock steps"])
        #expect(log.all.contains { $0.message.hasSuffix("this machine has none") })
        links.send(LinkMessageTests.message(2, "eth0", flags: 0x40))
        #expect(eventually(withinSeconds: 30) { log.all.contains { $0.kind == .networkLink } })
        watch.stop()
    }

    @Test("The machine's own sources open, or say why not")
    func machine() throws {
        let log = SystemEventList()
        var options = SystemEventOptions()
        options.leastLevel = .debug
        let watch = try SystemEventWatch(options, onEvent: log.add)
        #expect(eventually(withinSeconds: 30) { log.all.contains { $0.kind == .started } })
        watch.stop()
        #expect(log.all.contains { $0.kind == .stopped })
    }

    @Test("A watch that is let go of ends its thread")
    func letGo() throws {
        let directory = try TemporaryDirectory()
        let links = PlayedKernel()
        let log = SystemEventList()
        do {
            _ = try SystemEventWatch(
                sources: try sources(directory, links: links), onEvent: log.add)
        }
        links.send(LinkMessageTests.message(2, "eth0", flags: 0x40))
        #expect(!log.all.contains { $0.kind == .networkLink })
    }
}
