#!/bin/bash
# Makes the pictures of the scenes and results/pictures/cohesion.png, into the folder OUT, in some hours: draw.sh OUT.
# Panels of several scenes go to folders of their own. Needs ccpbench in the PATH and python3-h5py.
set -eu
draw_scene=$(realpath "$(dirname "$0")/../../scripts/draw_scene.py")
mkdir -p "$1"
cd "$1"

steps() { ccpbench generate "$1" --steps "$2" --form global --out "$3" "${@:4}"; }
one() { ccpbench generate "$1" --form global --out "$1.hdf5" "${@:2}"; }
draw() { "$draw_scene" --dpi 80 --out . "$@"; }

ipm=(--driver ipm_qp --model ccp)
steps ball_box 0:50 ball_box "${ipm[@]}"
draw ball_box/*10.global.hdf5 ball_box/*50.global.hdf5 --write png
for scene in single_ball single_brick; do
  steps $scene 0:20 $scene "${ipm[@]}"
  draw $scene/*03.global.hdf5 --dpi 70
done
steps guided_stack 0:20 guided_stack "${ipm[@]}" --set drop=0.1
draw guided_stack/*03.global.hdf5
steps three_point_bending 0:12 bent "${ipm[@]}" --set time_step=0.02
draw bent/*0[369].global.hdf5 bent/*12.global.hdf5 --write panels --dpi 70 --view=-75,12
steps three_point_bending 0:4 bending "${ipm[@]}"
draw bending/*04.global.hdf5

newton=(--driver proximal_newton --model ncp)
steps drum 1500:1500 drum "${newton[@]}" --set angular_velocity=0
steps drum 2600:2600 drum "${newton[@]}"
draw drum/*1500.global.hdf5 --view=-75,12
draw drum/*2600.global.hdf5 --view=-75,12

cone=(--driver ipm_cone --tolerance 1e-6 --model ccp)
steps deformable_bars 0:8 bars "${cone[@]}"
draw bars/*04.global.hdf5
draw bars/*0[2468].global.hdf5 --write panels
steps deformable_bars 0:8 stiff "${cone[@]}" --set young=2e11
draw stiff/*0[2468].global.hdf5 --write panels --out 2e11
steps deformable_bars 0:20 ball "${cone[@]}" --set layers=2 --set ball_mass=10 --set time_step=0.02
draw ball/*05.global.hdf5 ball/*10.global.hdf5 ball/*20.global.hdf5 --write panels --dpi 70 --out ball_panels

steps wrecking_ball 0:75 walls --model ccp --set walls=2 --set rows=4 --set columns=4 --set ball_height=5
draw walls/*60.global.hdf5 --view=-35,18
steps mixer 300:300 mixer --driver apgd --tolerance 1e-2 --model ccp --set bodies=200
draw mixer/*300.global.hdf5
steps robot_manipulator 130:130 robot --driver ipm_cone --model ccp
draw robot/*130.global.hdf5 --view=-50,30
steps quadrupeds 180:180 heap --tolerance 1e-6 --set arrangement=heap --set drop=0.3
draw heap/*180.global.hdf5
steps cube_array 800:800 cubes --set kinematics=rigid
draw cubes --write png --dpi 100 --view=-50,20

one odd_mass_stack
draw odd_mass_stack.hdf5
one sphere_press --set spheres=300 --set per_side=6
draw sphere_press.hdf5
ccpbench generate sphere_press --no-solution --form global --out sphere_press.4000.hdf5
draw sphere_press.4000.hdf5 --dpi 100 --show bodies
for scene in bolt_nut dish_pile; do
  one $scene --no-solution
  draw $scene.hdf5 --dpi 100 --cut --view=-60,12
done

for c in 500 1000 10000; do
  steps cohesive_ball 900:900 cohesion/$c --driver apgd --tolerance 1e-3 --model ccp --set radius=0.15 --set cohesion=$c
done
draw cohesion/500 cohesion/1000 cohesion/10000 --write panels --pieces 0.0015 --view=180,45 --dpi 130 \
  --labels "c = 500 N,c = 1000 N,c = 10 000 N" --out cohesion_panels
for mu_r in 0.005 0.01 0.02; do steps pile 500:500 piles/$mu_r "${newton[@]}" --tolerance 1e-6 --set rolling_friction=$mu_r; done
draw piles/* --write panels --view=-90,8 --labels "μ_r = 5 mm,μ_r = 10 mm,μ_r = 20 mm"
steps bolt_nut_assembly 488:488 assembly --seed 1 --driver canal --model ncp --driver-set al_iterations=5 --iterations 100
draw assembly/*488.global.hdf5 --dpi 100 --cut --view=-60,12
steps dish_piling 1583:1583 piling --driver canal --model ncp --driver-set al_iterations=5 --iterations 200
draw piling/*1583.global.hdf5 --dpi 100 --show bodies
