// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

CurrentProcess.occupyStandardDescriptors()
CurrentProcess.ignoreBrokenPipes()
CurrentProcess.exit(Program.run(CommandLine.arguments).rawValue)
