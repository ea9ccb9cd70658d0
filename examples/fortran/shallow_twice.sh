# The program SHALLOW writes a netCDF-4 file and a dataset, which netCDF shows alike. DRX: the program drx.
set -euo pipefail
shallow=$1 drx=$2
command -v ncdump >/dev/null || { echo "skipped: no ncdump; scripts/setup test installs it"; exit 77; }

"$shallow" out.nc 61 >of-netcdf
"$shallow" out.drx 61 >of-drx
"$shallow" out.drx 61 >/dev/null # over the first one
diff of-netcdf of-drx
[[ -f out.nc && -f out.drx/dataset.xds ]]
ncdump out.nc >netcdf.cdl
"$drx" run ncdump out.drx >drx.cdl
diff netcdf.cdl drx.cdl
[[ $(grep -c currently drx.cdl) == 3 && $("$drx" info out.drx) == *nest* ]]
"$drx" check out.drx
